// The sender of records: gathers what waits while a send is in flight, then sends all of it at once. It promises order per partition and
// an answer for every record: acknowledged by all in-sync replicas, refused for itself, or LOG_CLOSED when the producer was closed first.
// Too many waiting records are refused at the door (LOG_BACKLOG_FULL, retriable), which happens in a long outage only.
import { Fault } from '../../runtime/fault.ts';
import { within } from '../../runtime/timers.ts';
import type { Acknowledged, LogProducer, OutgoingRecord } from '../log.ts';
import { partitionFor } from '../partitioner.ts';
import { batchSender, refused, unknownTopic } from './batch-sender.ts';
import { type KafkaDeps, type KafkaSettings, kafkaClient } from './client.ts';
import { unavailable } from './failure.ts';
import { bytesOf, messageOfRecord } from './record.ts';
import { requestSpacing } from './request-spacing.ts';
import { type SendLoop, sendLoop } from './send-loop.ts';
import { type TopicDirectory, topicDirectory } from './topic-directory.ts';

/** Between the starts of two batches. */
const SEND_SPACING_MS = 5;
/** How long `close` lets waiting records go out. */
const FLUSH_LIMIT_MS = 5_000;

/** @throws Fault LOG_UNAVAILABLE (retriable) when no broker answers at the start. */
export async function kafkaProducer(deps: KafkaDeps, settings: KafkaSettings): Promise<LogProducer> {
  const { kafka, drop } = kafkaClient(deps, settings);
  const closing = new AbortController();
  const directory = topicDirectory(deps, settings);
  const sender = batchSender(deps, kafka, directory, closing.signal);
  await sender.connect().catch((error: unknown) => {
    void sender.disconnect().then(drop);
    throw unavailable(error, 'connecting the producer');
  });
  const loop = sendLoop(sender, requestSpacing(deps, SEND_SPACING_MS), closing.signal);
  const router = partitionRouter(directory);
  const unanswered = new Set<Promise<unknown>>();
  let closed: Promise<void> | null = null;

  const sendOne = async (record: OutgoingRecord): Promise<Acknowledged> => {
    const bytes = bytesOf(record);
    loop.reserve(bytes);
    try {
      const partition = await router(record);
      if (closing.signal.aborted) throw closedFault();
      return await queued(loop, record, partition, bytes);
    } finally {
      loop.release(bytes);
    }
  };

  const close = async () => {
    const answers = Promise.all(unanswered);
    await within(deps.timers, FLUSH_LIMIT_MS, 'LOG_UNAVAILABLE', answers).catch(() => undefined);
    closing.abort();
    loop.abandon(closedFault());
    directory.close();
    await sender.disconnect();
    drop();
  };

  return {
    send(record) {
      if (closed !== null) return Promise.reject(closedFault());
      const answer = sendOne(record);
      const settled: Promise<unknown> = answer
        .catch(() => undefined)
        .finally(() => unanswered.delete(settled));
      unanswered.add(settled);
      return answer;
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function queued(
  loop: SendLoop,
  record: OutgoingRecord,
  partition: number,
  bytes: number,
): Promise<Acknowledged> {
  return new Promise((acknowledge, refuse) => {
    const message = messageOfRecord(record, partition);
    loop.push({ topic: record.topic, message, bytes, acknowledge, refuse });
  });
}

/** Where a record goes. Waits for the topic's partition count even when it is known, so that calls keep their order. */
function partitionRouter(directory: TopicDirectory): (record: OutgoingRecord) => Promise<number> {
  let keyless = 0;
  return async ({ topic, key, partition }) => {
    const partitions = await directory.partitions(topic);
    if (partitions === null) throw unknownTopic(topic);
    if (partition === null && key === null) keyless += 1;
    const chosen = partition ?? (key === null ? keyless % partitions : partitionFor(key, partitions));
    if (Number.isInteger(chosen) && chosen >= 0 && chosen < partitions) return chosen;
    throw refused(`topic ${topic} has ${partitions} partitions, there is no ${chosen}`);
  };
}

function closedFault(): Fault {
  return new Fault('LOG_CLOSED', 'the producer was closed before the log acknowledged the record', {
    retriable: false,
  });
}

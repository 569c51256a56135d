// Reads whole topics without taking part in anybody's work: a group of its own with a name used once, which commits nothing, so that the
// broker forgets it. It promises: with `end`, every record sent after `tail` resolved is seen; records of one partition come in order.
import type { Consumer } from 'kafkajs';
import { within } from '../../runtime/timers.ts';
import type { LogRecord, LogTail, PartitionOffset } from '../log.ts';
import { keyOf } from '../partition-key.ts';
import {
  askBrokers,
  CONNECT_LIMIT_MS,
  DISCONNECT_LIMIT_MS,
  ended,
  type KafkaDeps,
  type KafkaSettings,
  kafkaClient,
  RETRY,
} from './client.ts';
import { unavailable } from './failure.ts';
import { topicRanges } from './group-offsets.ts';
import { recordOf } from './record.ts';

const SESSION_TIMEOUT_MS = 30_000;
const MAX_WAIT_MS = 200;

/** @throws Fault LOG_UNAVAILABLE (retriable) */
export async function kafkaTail(
  deps: KafkaDeps,
  settings: KafkaSettings,
  topics: readonly string[],
  from: 'start' | 'end',
  onRecord: (record: LogRecord) => void,
): Promise<LogTail> {
  const { kafka, drop } = kafkaClient(deps, settings);
  let stopping = false;
  const reader = kafka.consumer({
    groupId: `${settings.clientId}-tail-${deps.ids.uuid()}`,
    sessionTimeout: SESSION_TIMEOUT_MS,
    maxWaitTimeInMs: MAX_WAIT_MS,
    allowAutoTopicCreation: false,
    retry: { ...RETRY, restartOnFailure: () => Promise.resolve(!stopping) },
  });
  const stop = async () => {
    stopping = true;
    await ended(deps, reader.disconnect(), DISCONNECT_LIMIT_MS);
    drop();
  };
  try {
    const next = await startsOf(deps, settings, topics, from);
    const follow = async () => {
      await reader.connect();
      await reader.subscribe({ topics: [...topics], fromBeginning: true });
      await followed(reader, next, onRecord);
    };
    await within(deps.timers, CONNECT_LIMIT_MS, 'LOG_UNAVAILABLE', follow());
  } catch (error) {
    void stop();
    throw unavailable(error, `tailing ${topics.join(', ')}`);
  }
  return { stop };
}

async function startsOf(
  deps: KafkaDeps,
  settings: KafkaSettings,
  topics: readonly string[],
  from: 'start' | 'end',
): Promise<Map<string, PartitionOffset>> {
  const ranges = await askBrokers(deps, settings, (admin) => topicRanges(admin, topics));
  const starts = topics.flatMap((topic, index) =>
    (ranges[index] ?? []).map(({ partition, low, high }) => {
      return { topic, partition, offset: Number(from === 'start' ? low : high) };
    }),
  );
  return new Map(starts.map((start) => [keyOf(start), start]));
}

/** Resolves after the first join. A later join, after trouble, goes on where it was. */
async function followed(
  reader: Consumer,
  next: Map<string, PartitionOffset>,
  onRecord: (record: LogRecord) => void,
): Promise<void> {
  const joined = new Promise<void>((resolve) => {
    reader.on(reader.events.GROUP_JOIN, () => {
      for (const { topic, partition, offset } of next.values())
        reader.seek({ topic, partition, offset: String(offset) });
      resolve();
    });
  });
  await reader.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: ({ batch, resolveOffset }) => {
      const at = { topic: batch.topic, partition: batch.partition };
      for (const message of batch.messages) onRecord(recordOf(at, message));
      resolveOffset(batch.lastOffset());
      next.set(keyOf(at), { ...at, offset: Number(batch.lastOffset()) + 1 });
      return Promise.resolve();
    },
  });
  await joined;
}

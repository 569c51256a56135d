// Reads whole topics without taking part in anybody's work: a group of its own with a name used once, which commits nothing, so that the
// broker forgets it. It promises: with `end`, every record sent after `tail` resolved is seen; records of one partition come in order.
import type { Consumer } from 'kafkajs';
import { messageOf } from '../../runtime/fault.ts';
import { within } from '../../runtime/timers.ts';
import type { LogRecord, LogTail, PartitionOffset } from '../log.ts';
import { keyOf } from '../partition-key.ts';
import { CONNECT_LIMIT_MS, type KafkaDeps, type KafkaSettings, kafkaClient, RETRY } from './client.ts';
import { unavailable } from './failure.ts';
import { recordOf } from './record.ts';

const SESSION_TIMEOUT_MS = 30_000;
const MAX_WAIT_MS = 200;
const STOP_LIMIT_MS = 10_000;

/** @throws Fault LOG_UNAVAILABLE (retriable) */
export async function kafkaTail(
  deps: KafkaDeps,
  settings: KafkaSettings,
  topics: readonly string[],
  from: 'start' | 'end',
  onRecord: (record: LogRecord) => void,
): Promise<LogTail> {
  const kafka = kafkaClient(deps, settings);
  const reader = kafka.consumer({
    groupId: `${settings.clientId}-tail-${deps.ids.uuid()}`,
    sessionTimeout: SESSION_TIMEOUT_MS,
    maxWaitTimeInMs: MAX_WAIT_MS,
    allowAutoTopicCreation: false,
    retry: { ...RETRY, restartOnFailure: () => Promise.resolve(true) },
  });
  const stop = async () => {
    await within(deps.timers, STOP_LIMIT_MS, 'LOG_UNAVAILABLE', reader.disconnect()).catch((error: unknown) =>
      deps.logger.debug('kafka.tail-left', { reason: messageOf(error) }),
    );
  };
  const begin = async () => {
    const admin = kafka.admin();
    await admin.connect();
    const ranges = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
    void admin.disconnect().catch(() => undefined);
    const next = new Map<string, PartitionOffset>();
    topics.forEach((topic, index) => {
      for (const { partition, low, high } of ranges[index] ?? [])
        next.set(keyOf({ topic, partition }), {
          topic,
          partition,
          offset: Number(from === 'start' ? low : high),
        });
    });
    await reader.connect();
    await reader.subscribe({ topics: [...topics], fromBeginning: true });
    const joined = firstJoin(reader, () => {
      for (const { topic, partition, offset } of next.values())
        reader.seek({ topic, partition, offset: String(offset) });
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
  };
  try {
    await within(deps.timers, CONNECT_LIMIT_MS, 'LOG_UNAVAILABLE', begin());
  } catch (error) {
    void stop();
    throw unavailable(error, `tailing ${topics.join(', ')}`);
  }
  return { stop };
}

/** Calls `seek` at every join (a reconnect continues where it was) and resolves after the first. */
function firstJoin(reader: Consumer, seek: () => void): Promise<void> {
  return new Promise((resolve) => {
    reader.on(reader.events.GROUP_JOIN, () => {
      seek();
      resolve();
    });
  });
}

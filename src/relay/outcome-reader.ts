// Reads dispatched.v1 in a group of its own and writes down what became of relayed rows. Offsets are committed after the outcomes are, so
// none is lost; that the sources are told is a column of our row from then on, and no source that is away holds up this topic.
import type { ConsumerHandlers, Log, LogConsumer, LogRecord, PartitionOffset } from '../broker/log.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { isFault } from '../runtime/fault.ts';
import type { Codec } from '../streams/codec.ts';
import { decodeDispatched } from '../streams/dispatched.ts';
import { DEFAULT_PREFIX, type Topics } from '../streams/topics.ts';
import { failureReason } from './failure-reason.ts';
import type { Outcome, RelayProgress } from './progress.ts';
import { type SteadyDeps, steadyLoop } from './steady-loop.ts';
import { wakeCall } from './wake-call.ts';

export interface OutcomeReaderDeps extends SteadyDeps {
  readonly log: Log;
  readonly codec: Codec;
  readonly topics: Topics;
  readonly progress: RelayProgress;
  /** Sources whose rows have news. */
  readonly onSettled: (sources: readonly string[]) => void;
}

export interface OutcomeReader {
  /** Leaves the group; what was read and not written down is read again. */
  stop(): Promise<void>;
}

const MAX_WAITING = 5_000;
const MAX_BATCH = 1_000;
const IDLE_MS = 60_000;
const CONSUMER = {
  sessionTimeoutMs: 10_000,
  heartbeatIntervalMs: 1_000,
  maxWaitMs: 250,
  maxBytesPerPartition: 1_048_576,
};

export function relayGroup({ prefix }: Topics): string {
  const group = 'pin.notification-relay';
  return prefix === DEFAULT_PREFIX ? group : `${group}.${prefix}`;
}

/** @throws Fault LOG_UNAVAILABLE (retriable) */
export async function startOutcomeReader(deps: OutcomeReaderDeps, processId: string): Promise<OutcomeReader> {
  const inbox = outcomeInbox(deps);
  const consumer = await deps.log.consumer(
    { ...CONSUMER, groupId: relayGroup(deps.topics), topics: [deps.topics.dispatched], processId },
    inbox.handlers,
  );
  const ended = steadyLoop(deps, 'outcomes', () => settleNext(deps, inbox, consumer));
  return {
    async stop() {
      await ended;
      await consumer.stop();
    },
  };
}

interface Inbox {
  readonly handlers: ConsumerHandlers;
  /** Up to MAX_BATCH records that were not written down yet; waits for the first. */
  next(): Promise<readonly LogRecord[]>;
  done(count: number): void;
  /** Changes with every assignment: what was read before it is somebody else's, or read again. */
  generation(): number;
}

function outcomeInbox({ timers, stopping, onBroken }: OutcomeReaderDeps): Inbox {
  let waiting: LogRecord[] = [];
  let generation = 0;
  const wake = wakeCall(timers, stopping);
  return {
    handlers: {
      onRecords(_, records) {
        const taken = Math.min(records.length, Math.max(0, MAX_WAITING - waiting.length));
        for (let index = 0; index < taken; index += 1) {
          const record = records[index];
          if (record !== undefined) waiting.push(record);
        }
        wake.call();
        return taken;
      },
      onAssigned() {
        waiting = [];
        generation += 1;
      },
      onRevoking: () => undefined,
      onCrashed: onBroken,
      onOffsetReset: () => undefined,
    },
    async next() {
      if (waiting.length === 0) await wake.wait(IDLE_MS);
      return waiting.slice(0, MAX_BATCH);
    },
    done(count) {
      waiting.splice(0, count);
    },
    generation: () => generation,
  };
}

async function settleNext(deps: OutcomeReaderDeps, inbox: Inbox, consumer: LogConsumer): Promise<void> {
  const generation = inbox.generation();
  const records = await inbox.next();
  if (records.length === 0) return;
  const told = await Promise.all(records.map((record) => outcomeOf(deps.codec, record)));
  const sources = await deps.progress.settle(told.filter((outcome) => outcome !== null));
  if (sources.length > 0) deps.onSettled(sources);
  if (generation !== inbox.generation()) return;
  inbox.done(records.length);
  await commit(consumer, records);
}

/** null for what is not an outcome, or of a kind that this release does not know. @throws Fault REGISTRY_UNAVAILABLE */
async function outcomeOf(codec: Codec, record: LogRecord): Promise<Outcome | null> {
  const answer = await decodeDispatched(codec, record);
  if (answer.kind !== 'decoded') return null;
  const { notificationId, outcomeSeq, status, reason, errorCode, dispatchedAt } = answer.value;
  if (status !== 'Sent' && status !== 'Failed') return null;
  return {
    id: notificationId as NotificationId,
    seq: outcomeSeq,
    status,
    reason: failureReason(status, errorCode, reason),
    atMs: dispatchedAt,
  };
}

async function commit(consumer: LogConsumer, records: readonly LogRecord[]): Promise<void> {
  const ends = new Map<number, PartitionOffset>();
  for (const { topic, partition, offset } of records)
    ends.set(partition, { topic, partition, offset: offset + 1 });
  try {
    await consumer.commit([...ends.values()]);
  } catch (error) {
    // The partition moved on: its new owner reads this again, and finds it written.
    if (!isFault(error) || error.code !== 'LOG_FENCED') throw error;
  }
}

// Hands fetched batches to the reader and moves the fetch position past what it took. The rest is fetched again once the partition flows.
// It waits for nothing but the spacing of fetches, never commits, and delivers nothing of a partition that is not owned, stands still, or was fetched before a rebalance.
import type { EachBatchPayload } from 'kafkajs';
import { invariant } from '../../runtime/fault.ts';
import type { Timers } from '../../runtime/timers.ts';
import type { ConsumerHandlers, PartitionOffset, TopicPartition } from '../log.ts';
import { keyOf } from '../partition-key.ts';
import { failureKind } from './failure.ts';
import type { Ownership } from './ownership.ts';
import type { PartitionFlow } from './partition-flow.ts';
import { recordOf } from './record.ts';
import type { RequestSpacing } from './request-spacing.ts';
import type { TopicRest } from './topic-rest.ts';

export interface Delivery {
  eachBatch(payload: EachBatchPayload): Promise<void>;
  /** Sets where reading starts. */
  place(positions: readonly PartitionOffset[]): void;
  /** The next offset to read, as far as it is known. */
  position(at: TopicPartition): number | null;
}

export interface DeliveryParts {
  readonly timers: Timers;
  readonly ownership: Ownership;
  readonly flow: PartitionFlow;
  /** Between fetches: kafkajs begins the next one when all batches of the last are handled. */
  readonly spacing: Pick<RequestSpacing, 'rest'>;
  /** Records of this topic came. */
  readonly rest: Pick<TopicRest, 'delivered'>;
  readonly handlers: Pick<ConsumerHandlers, 'onRecords'>;
  /** The reader threw, which it promised not to. */
  onBroken(error: unknown): void;
}

/** When a reader took less than it was offered without pausing, it is asked again after this. */
const REOFFER_MS = 50;

export function delivery({
  timers,
  ownership,
  flow,
  spacing,
  rest,
  handlers,
  onBroken,
}: DeliveryParts): Delivery {
  const positions = new Map<string, number>();
  /** A heartbeat said that the group has moved on: what is still queued may belong to somebody else by now. */
  let fencedIn = 0;

  const ready = (at: TopicPartition) =>
    ownership.phase() === 'reading' &&
    fencedIn !== ownership.generation() &&
    ownership.owns(at) &&
    flow.flows(at);

  const deliver = ({ batch, resolveOffset, isStale }: EachBatchPayload) => {
    const at = { topic: batch.topic, partition: batch.partition };
    if (!ready(at) || isStale()) return;
    rest.delivered(at.topic);
    const records = batch.messages.map((message) => recordOf(at, message));
    const taken = handlers.onRecords(at, records);
    invariant(Number.isInteger(taken) && taken >= 0 && taken <= records.length, `onRecords took ${taken}`);
    const last = batch.messages[taken - 1];
    if (last !== undefined) {
      resolveOffset(last.offset);
      positions.set(keyOf(at), Number(taken === records.length ? batch.lastOffset() : last.offset) + 1);
    }
    if (taken < records.length && flow.flows(at)) {
      flow.stop([at], 'reoffer');
      timers.after(REOFFER_MS, () => flow.go([at], 'reoffer'));
    }
  };

  return {
    async eachBatch(payload) {
      try {
        deliver(payload);
      } catch (error) {
        return onBroken(error);
      }
      try {
        await payload.heartbeat();
      } catch (error) {
        if (failureKind(error) === 'fenced') fencedIn = ownership.generation();
        throw error;
      }
      await spacing.rest();
    },
    place(starts) {
      for (const start of starts) positions.set(keyOf(start), start.offset);
    },
    position: (at) => positions.get(keyOf(at)) ?? null,
  };
}

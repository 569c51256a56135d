// What one member of the simulated group reads: where it stands in each partition, what is paused, and the next offer of records.
import type { ConsumerHandlers, LogRecord, PartitionOffset, TopicPartition } from '../../broker/log.ts';
import { invariant } from '../../runtime/fault.ts';
import type { Incarnation } from '../incarnation.ts';
import type { World } from '../world.ts';
import type { Partitions } from './partitions.ts';

export interface Reading {
  begin(starts: readonly PartitionOffset[]): void;
  rest(): void;
  reads(): boolean;
  pause(at: readonly TopicPartition[]): void;
  resume(at: readonly TopicPartition[]): void;
  /** Something may have come to this partition. */
  wake(at: TopicPartition): void;
  /** Goes on elsewhere in the log. */
  seek(at: PartitionOffset): void;
  /** True when everything there is was taken. */
  isAtEnd(): boolean;
}

interface Position {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  next: number;
  isPaused: boolean;
}

const FETCH_MS = 2;
const SLOW_FETCHES_MS = [0, 3, 40, 400, 3_000, 9_000];
const MAX_RECORDS = 100;
const REOFFER_MS = 50;

export function simulatedReading(
  world: World,
  process: Incarnation,
  partitions: Partitions,
  handlers: Pick<ConsumerHandlers, 'onRecords'>,
): Reading {
  let positions: Position[] = [];
  let reads = false;
  let isWaking = false;

  const positionOf = ({ topic, partition }: TopicPartition) =>
    positions.find((one) => one.topic === topic && one.partition === partition);
  const wake = (delayMs: number) => {
    if (isWaking || !reads) return;
    isWaking = true;
    const slowMs = SLOW_FETCHES_MS[world.dice.roll('delay', 'fetch')] ?? 0;
    process.arrive(delayMs + slowMs, offerAll);
  };
  const offerAll = () => {
    isWaking = false;
    for (const position of positions) {
      if (!reads) return;
      if (!position.isPaused && position.next < position.records.length) offer(position);
    }
  };
  const offer = (position: Position) => {
    const { topic, partition, records, next } = position;
    const offered = records.slice(next, next + MAX_RECORDS);
    const taken = handlers.onRecords({ topic, partition }, offered);
    invariant(taken >= 0 && taken <= offered.length, `onRecords took ${taken}`);
    position.next = next + taken;
    if (position.isPaused || position.next === records.length) return;
    wake(taken < offered.length ? REOFFER_MS : FETCH_MS);
  };
  return {
    begin(starts) {
      positions = starts.map(({ topic, partition, offset }) => {
        const records = partitions.records(topic, partition);
        return { topic, partition, records, next: offset, isPaused: false };
      });
      reads = true;
      wake(FETCH_MS);
    },
    rest() {
      reads = false;
      positions = [];
    },
    reads: () => reads,
    pause(given) {
      for (const at of given) {
        const position = positionOf(at);
        if (position !== undefined) position.isPaused = true;
      }
    },
    resume(given) {
      for (const at of given) {
        const position = positionOf(at);
        if (position !== undefined) position.isPaused = false;
      }
      wake(FETCH_MS);
    },
    wake(at) {
      const position = positionOf(at);
      if (position !== undefined && !position.isPaused) wake(FETCH_MS);
    },
    seek(at) {
      const position = positionOf(at);
      if (position !== undefined) position.next = at.offset;
      wake(FETCH_MS);
    },
    isAtEnd: () => reads && positions.every(({ next, records }) => next === records.length),
  };
}

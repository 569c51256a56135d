// After each assignment: find where every owned partition continues, tell the client so explicitly, let it flow, and write down a start
// for those that have none yet. The client's own silent choices (a reset after a lost offset, a position from before the rebalance)
// never apply. Outages are waited out; another assignment makes a running placement void.
import type { Consumer } from 'kafkajs';
import { messageOf } from '../../runtime/fault.ts';
import { pause, within } from '../../runtime/timers.ts';
import type { CommitFloor } from '../commit-floor.ts';
import type { ConsumerHandlers, PartitionOffset, TopicPartition } from '../log.ts';
import { keyOf } from '../partition-key.ts';
import { type StartPosition, startPosition } from '../start-position.ts';
import { askBrokers, type KafkaDeps, type KafkaSettings } from './client.ts';
import { groupOffsets } from './group-offsets.ts';
import type { PartitionFlow } from './partition-flow.ts';

export interface Placement {
  /** Holds these partitions and places them; `then` is called right before they flow, and not when this became void. */
  begin(partitions: readonly TopicPartition[], then: () => void): Promise<void>;
  /** Places one partition once more: its position `lost` is gone from the log. */
  again(at: TopicPartition, lost: number | null): Promise<void>;
  /** Makes what runs void. */
  abort(): void;
  /** These have commits of their own since `begin`: no start is written over them. */
  noteCommitted(partitions: readonly TopicPartition[]): void;
}

export interface PlacementParts {
  readonly deps: KafkaDeps;
  readonly settings: KafkaSettings;
  readonly reader: Pick<Consumer, 'seek' | 'commitOffsets'>;
  readonly groupId: string;
  readonly handlers: Pick<ConsumerHandlers, 'onOffsetReset'>;
  readonly flow: PartitionFlow;
  readonly floor: CommitFloor;
  readonly delivery: { place(positions: readonly PartitionOffset[]): void };
}

const RETRY_PAUSE_MS = 500;
const COMMIT_LIMIT_MS = 10_000;

export function placement(parts: PlacementParts): Placement {
  const { deps, reader, groupId, handlers, flow, floor, delivery } = parts;
  let current = new AbortController();
  let committed = new Set<string>();

  const seek = ({ topic, partition, offset, outOfRange }: StartPosition, lost: number | null) => {
    const gone = lost ?? outOfRange;
    if (gone !== null) handlers.onOffsetReset({ topic, partition }, gone, offset);
    reader.seek({ topic, partition, offset: String(offset) });
  };

  const writeStarts = async (starts: readonly StartPosition[]) => {
    const missing = starts.filter((at) => at.uncommitted && !committed.has(keyOf(at)));
    if (missing.length === 0) return;
    const offsets = missing.map(({ topic, partition, offset }) => ({
      topic,
      partition,
      offset: String(offset),
    }));
    await within(deps.timers, COMMIT_LIMIT_MS, 'LOG_UNAVAILABLE', reader.commitOffsets(offsets)).catch(
      (error: unknown) => deps.logger.debug('kafka.start-unwritten', { reason: messageOf(error) }),
    );
  };

  const place = async (partitions: readonly TopicPartition[], lost: number | null, then: () => void) => {
    const starts = await findStarts(deps, parts.settings, groupId, partitions, current.signal);
    if (starts === null) return;
    for (const start of starts) seek(start, lost);
    delivery.place(starts);
    floor.startsAt(starts);
    then();
    flow.go(partitions, 'placing');
    await writeStarts(starts);
  };

  return {
    begin(partitions, then) {
      current.abort();
      current = new AbortController();
      committed = new Set();
      floor.forget();
      return place(partitions, null, then);
    },
    again(at, lost) {
      flow.stop([at], 'placing');
      committed.delete(keyOf(at));
      return place([at], lost, () => undefined);
    },
    abort: () => current.abort(),
    noteCommitted(partitions) {
      for (const at of partitions) committed.add(keyOf(at));
    },
  };
}

/** Reads the start of each partition, for as long as it takes. null when aborted. */
async function findStarts(
  deps: KafkaDeps,
  settings: KafkaSettings,
  groupId: string,
  partitions: readonly TopicPartition[],
  signal: AbortSignal,
): Promise<readonly StartPosition[] | null> {
  while (!signal.aborted) {
    try {
      const starts = await readStarts(deps, settings, groupId, partitions);
      return signal.aborted ? null : starts;
    } catch (error) {
      deps.logger.warn('kafka.start-unanswered', { group_id: groupId, reason: messageOf(error) });
      await pause(deps.timers, RETRY_PAUSE_MS, signal);
    }
  }
  return null;
}

async function readStarts(
  deps: KafkaDeps,
  settings: KafkaSettings,
  groupId: string,
  partitions: readonly TopicPartition[],
): Promise<readonly StartPosition[]> {
  if (partitions.length === 0) return [];
  const wanted = new Set(partitions.map(keyOf));
  const topics = [...new Set(partitions.map(({ topic }) => topic))];
  const offsets = await askBrokers(deps, settings, (admin) => groupOffsets(admin, groupId, topics));
  return offsets.filter((at) => wanted.has(keyOf(at))).map(startPosition);
}

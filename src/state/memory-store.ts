// The store without a server, for tests and the simulator: same answers as Postgres, time by the given clock and timers only.
// Writes run through the product's own group commit; only the flusher beneath it is another.
import type { NotificationId } from '../domain/notification-id.ts';
import type { Clock } from '../runtime/clock.ts';
import { invariant } from '../runtime/fault.ts';
import { type Logger, silentLogger } from '../runtime/logger.ts';
import type { Timers } from '../runtime/timers.ts';
import { closedFault } from './closed-fault.ts';
import { groupCommit } from './group-commit.ts';
import { memoryControls } from './memory-controls.ts';
import { type MemoryDatabase, type MemoryRow, memoryDatabase } from './memory-database.ts';
import { type MemoryFaults, noFaults, type StepRunner, stepped } from './memory-faults.ts';
import { memoryFlusher } from './memory-flusher.ts';
import { memoryLock } from './memory-lock.ts';
import { memoryParking } from './memory-parking.ts';
import { memoryPushTokens } from './memory-push-tokens.ts';
import { memoryRetention } from './memory-retention.ts';
import { memorySweeps } from './memory-sweeps.ts';
import { outageWatch } from './outage-watch.ts';
import { MAX_LOAD_KEYS, type NotificationStore } from './store.ts';

export interface MemoryStoreDeps {
  /** This process' clock. Times in rows come from the database's. */
  readonly clock: Clock;
  /** Marks and retries wait on them; without any, everything happens at once. */
  readonly timers?: Timers;
  /** Shared with other stores, as processes share a Postgres; its own when left out. */
  readonly database?: MemoryDatabase;
  readonly faults?: MemoryFaults;
  readonly logger?: Logger;
  readonly onOutage?: (unavailableSinceMs: number | null) => void;
}

const MAX_ROWS_PER_FLUSH = 250;

export function memoryStore(deps: MemoryStoreDeps): NotificationStore {
  const { clock, timers = atOnce, faults = noFaults, logger = silentLogger } = deps;
  const database = deps.database ?? memoryDatabase(deps);
  const outage = outageWatch({ clock, logger, onChange: deps.onOutage ?? (() => undefined) });
  const flushers = [memoryFlusher({ database, faults }), memoryFlusher({ database, faults })];
  const writes = groupCommit({ flushers, timers, logger, outage }, { maxRowsPerFlush: MAX_ROWS_PER_FLUSH });
  let isOpen = true;
  const step: StepRunner = async (kind, ids, effect) => {
    if (!isOpen) throw closedFault();
    return stepped(faults, { kind, ids }, effect);
  };
  return {
    ...writes,
    ...memorySweeps(database, step),
    ...memoryParking(database, step),
    ...memoryPushTokens(database, step),
    ...memoryControls(database, step),
    ...memoryRetention(database, step),
    underLock: memoryLock(database, step),
    unavailableSinceMs: outage.unavailableSinceMs,
    load(ids) {
      invariant(ids.length <= MAX_LOAD_KEYS, `a load of ${ids.length} keys`);
      return step('load', ids, () => {
        const found = new Map<NotificationId, MemoryRow>();
        for (const id of ids) {
          const there = database.rows.get(id);
          if (there !== undefined) found.set(id, there);
        }
        return { nowMs: database.clock.nowMs(), found };
      });
    },
    refuseCommand: (commandId) => step('other', [], () => refuseOnce(database, commandId)),
    wasRefused: (commandId) => step('other', [], () => database.refusedCommands.has(commandId)),
    quarantine: (input) =>
      step('other', [], () => {
        const origin = `${input.topic}/${input.partition}/${input.offset}`;
        if (database.quarantine.has(origin)) return;
        database.quarantine.set(origin, { ...input, notificationId: null, atMs: database.clock.nowMs() });
      }),
    lifeOf: (partition) => step('other', [], () => database.lives.get(partition) ?? null),
    saveLife: (partition, next) =>
      step('other', [], () => {
        if ((database.lives.get(partition)?.version ?? 0) !== next.version - 1) return false;
        database.lives.set(partition, next);
        return true;
      }),
    channels: () => step('other', [], () => [...database.channels.values()]),
    saveChannel: (config) => step('other', [], () => void database.channels.set(config.channel, config)),
    storedPartitions: () => step('other', [], () => database.settings.get('partition-count') ?? null),
    rememberPartitions: (count) =>
      step('other', [], () => {
        const stored = database.settings.get('partition-count') ?? count;
        database.settings.set('partition-count', stored);
        return stored;
      }),
    async close() {
      isOpen = false;
      await writes.close();
    },
  };
}

function refuseOnce({ refusedCommands, clock }: MemoryDatabase, commandId: string): void {
  if (!refusedCommands.has(commandId)) refusedCommands.set(commandId, Math.floor(clock.nowMs()));
}

const atOnce: Timers = {
  after(_delayMs, task) {
    let isWanted = true;
    queueMicrotask(() => {
      if (isWanted) task();
    });
    return () => {
      isWanted = false;
    };
  },
};

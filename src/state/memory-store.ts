// The store without a server, for tests and the simulator: same answers as Postgres, time by the given clock and timers only.
// Writes run through the product's own group commit; only the flusher beneath it is another.
import type { Clock } from '../runtime/clock.ts';
import { type Logger, silentLogger } from '../runtime/logger.ts';
import { soon } from '../runtime/microtasks.ts';
import type { Timers } from '../runtime/timers.ts';
import { closedFault } from './closed-fault.ts';
import { groupCommit } from './group-commit.ts';
import { memoryControls } from './memory-controls.ts';
import { type MemoryDatabase, memoryDatabase } from './memory-database.ts';
import { type MemoryFaults, noFaults, type StepRunner, stepped } from './memory-faults.ts';
import { memoryFlusher } from './memory-flusher.ts';
import { memoryLock } from './memory-lock.ts';
import { memoryParking } from './memory-parking.ts';
import { memoryPushTokens } from './memory-push-tokens.ts';
import { memoryRecords } from './memory-records.ts';
import { memoryRetention } from './memory-retention.ts';
import { memorySweeps } from './memory-sweeps.ts';
import { outageWatch } from './outage-watch.ts';
import type { NotificationStore } from './store.ts';

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
  // A simulation opens thousands of these. Of literals that begin with a spread and add to it V8 makes a new hidden class each time, and
  // everything that reads one is slow; of those that begin with a name it does not.
  return {
    underLock: memoryLock(database, step),
    unavailableSinceMs: outage.unavailableSinceMs,
    insert: writes.insert,
    write: writes.write,
    mark: writes.mark,
    drainMarks: writes.drainMarks,
    async close() {
      isOpen = false;
      await writes.close();
    },
    ...memoryRecords(database, step),
    ...memorySweeps(database, step),
    ...memoryParking(database, step),
    ...memoryPushTokens(database, step),
    ...memoryControls(database, step),
    ...memoryRetention(database, step),
  };
}

const atOnce: Timers = {
  after(_delayMs, task) {
    let isWanted = true;
    soon(() => {
      if (isWanted) task();
    });
    return () => {
      isWanted = false;
    };
  },
};

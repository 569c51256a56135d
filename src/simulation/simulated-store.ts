// The store of one process of a simulation: the product's in-memory store (its own group commit, flush settlement and load batching) over
// tables that all processes share, with every question and answer travelling, failing and getting lost as the dice say.
import type { Notification } from '../domain/notification.ts';
import { invariant } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { loadBatcher } from '../state/load-batcher.ts';
import type { MemoryDatabase } from '../state/memory-database.ts';
import type { Fate, MemoryFaults, MemoryStep } from '../state/memory-faults.ts';
import { loseLock } from '../state/memory-lock.ts';
import { memoryStore } from '../state/memory-store.ts';
import {
  type Controls,
  type Insertion,
  MAX_LOAD_KEYS,
  type NotificationStore,
  type RowWrite,
} from '../state/store.ts';
import type { Incarnation } from './incarnation.ts';
import { answer, send, type World } from './world.ts';

/** By the choice of die `store`. */
const FATES: readonly Fate[] = ['done', 'fail', 'lose-answer', 'conflict'];

export interface StoreParts {
  readonly world: World;
  readonly process: Incarnation;
  readonly database: MemoryDatabase;
  readonly locks: LockHolders;
  readonly logger: Logger;
  /** The tables do something for `process` now. */
  readonly onServing: (process: Incarnation) => void;
  readonly isAway: () => boolean;
  /** What operators have set arrived. */
  readonly onControls: (process: Incarnation, controls: Controls) => void;
  /** `process` decided on a write. */
  readonly onDecided: (process: Incarnation, write: Insertion | RowWrite) => void;
}

export function simulatedStore(parts: StoreParts): NotificationStore {
  const { process, database, logger } = parts;
  const { clock, timers } = process;
  const store = memoryStore({ clock, timers, database, logger, faults: travelling(parts) });
  const load = loadBatcher(store.load);
  return {
    ...store,
    async controls() {
      const controls = await store.controls();
      parts.onControls(process, controls);
      return controls;
    },
    insert(insertion) {
      parts.onDecided(process, insertion);
      return store.insert(insertion);
    },
    write(write) {
      parts.onDecided(process, write);
      return store.write(write);
    },
    load(ids) {
      invariant(ids.length <= MAX_LOAD_KEYS, `a load of ${ids.length} keys`);
      return load(ids);
    },
  };
}

function travelling(parts: StoreParts): MemoryFaults {
  const { world, process, database } = parts;
  const placeOf = (step: MemoryStep) => `${step.kind} of ${stateOf(database, step)}`;
  const isDense = ({ kind }: MemoryStep) => kind === 'flush';
  const fateAt = (at: string, dense: boolean): Fate => {
    const rolled = FATES[world.dice.roll('store', at, dense)] ?? 'done';
    if (rolled !== 'done') world.tell('store', () => `${at} for ${process.name}: ${rolled}`);
    return parts.isAway() ? 'fail' : rolled;
  };
  return {
    before: (step) =>
      new Promise((resolve) => {
        const [at, dense] = [placeOf(step), isDense(step)];
        send(world, process, at, dense, () => {
          const fate = fateAt(at, dense);
          parts.onServing(process);
          // What was not done is answered from here, what is done answers after its effect.
          if (fate === 'done' || fate === 'lose-answer') resolve(fate);
          else answer(world, process, at, dense, () => resolve(fate));
        });
      }),
    after: (step) =>
      new Promise((resolve) => {
        if (step.kind === 'lock') takeLock(parts);
        answer(world, process, placeOf(step), isDense(step), resolve);
      }),
  };
}

/** A question may arrive after its process died: the server finds the connection gone as soon as it answers. */
function takeLock({ world, process, database, locks }: StoreParts): void {
  locks.noteHolder(database, process);
  if (process.state() === 'dead') world.time.after(1, () => locks.loseThoseOf(database, process));
}

/** What the first row of a step is in, for the story and the counts. */
function stateOf({ rows }: MemoryDatabase, { ids }: MemoryStep): string {
  const [id] = ids;
  if (id === undefined) return 'tables';
  const row = rows.get(id)?.row;
  return row === undefined ? 'new' : stateOfRow(row);
}

function stateOfRow(row: Notification): string {
  if (row.claim !== null) return 'claimed';
  if (row.publishedSeq < row.outcomeSeq) return 'owing';
  if (row.final !== null) return 'final';
  if (row.unknown !== null) return 'in-doubt';
  return row.hold === null ? 'waiting' : 'held';
}

/** Which process holds which lock: a connection ends with its process, and its locks with it. */
export interface LockHolders {
  noteHolder(database: MemoryDatabase, process: Incarnation): void;
  loseThoseOf(database: MemoryDatabase, process: Incarnation): void;
}

export function lockHolders(): LockHolders {
  const holders = new Map<AbortController, Incarnation>();
  return {
    noteHolder(database, process) {
      for (const holder of database.locks.values()) if (!holders.has(holder)) holders.set(holder, process);
    },
    loseThoseOf(database, process) {
      for (const [name, holder] of [...database.locks])
        if (holders.get(holder) === process) loseLock(database, name);
    },
  };
}

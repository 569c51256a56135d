// How careful a task is after a death: what may have killed the process is written down before it starts, suspects run alone, the deadly
// not at all. A task whose lives all ended well has no care, and its records pay nothing. Care ends when this life has lasted.
import { mayHaveKilled, survive } from '../domain/deaths.ts';
import type { Engine } from './engine.ts';
import type { Lanes } from './lanes.ts';
import type { LifeRecord } from './life-record.ts';
import { Stopped } from './outages.ts';
import type { QuietRoom } from './quiet-room.ts';

/** A record on its way into its lane. */
export interface CarefulWork {
  readonly laneKey: string;
  readonly timestampMs: number;
  /** Handles the record; true when it is done for good. Rejects never; `prepare` may. */
  readonly handle: (prepare?: () => Promise<void>) => Promise<boolean>;
  /** Puts the record aside instead of handling it; `isFirst`: of its lane, in this life. Rejects never. */
  readonly refuse: (isDeadly: () => Promise<boolean>, isFirst: boolean) => Promise<unknown>;
}

export interface Care {
  run(work: CarefulWork): void;
  close(): void;
}

export interface CareDeps {
  readonly engine: Engine;
  readonly lanes: Pick<Lanes, 'run'>;
  readonly room: QuietRoom;
  readonly life: LifeRecord;
}

/** Suspects who still wait are waited for. */
const LOOK_AGAIN_MS = 10_000;

export function care(deps: CareDeps): Care {
  const { engine, lanes, room, life } = deps;
  const begun = life.current();
  const suspects = new Set(begun.suspects);
  const deadly = new Set(begun.deadly);
  const journal = inFlightJournal(life);
  const refused = new Set<string>();
  let waitingAlone = 0;
  let isOver = begun.deaths === 0;

  const endWhenCalm = () => {
    if (waitingAlone > 0) return void arm(LOOK_AGAIN_MS);
    isOver = true;
    suspects.clear();
    life.change(survive).catch(() => undefined);
  };
  const arm = (afterMs: number) => engine.timers.after(afterMs, endWhenCalm);
  const cancel = isOver ? () => undefined : arm(engine.settings.cautionMs);

  const alone = ({ laneKey, handle }: CarefulWork) => {
    waitingAlone += 1;
    room.add({
      laneKey,
      before: () =>
        life
          .change((now) => ({ ...now, version: now.version + 1, inFlight: [], alone: laneKey }))
          .catch(() => false),
      async work() {
        waitingAlone -= 1;
        if (await handle()) suspects.delete(laneKey);
      },
    });
  };
  const written = ({ laneKey, handle }: CarefulWork) =>
    lanes.run(laneKey, async () => {
      await handle(() => journal.enter(laneKey));
      journal.leave(laneKey);
    });
  /** An operator may have forgiven it meanwhile. */
  const isStillDeadly = (laneKey: string) => async () => {
    const now = await life.refresh();
    if (now.deadly.includes(laneKey)) return true;
    deadly.delete(laneKey);
    return false;
  };
  return {
    run(work) {
      const { laneKey } = work;
      if (deadly.has(laneKey)) {
        const isFirst = !refused.has(laneKey);
        refused.add(laneKey);
        lanes.run(laneKey, () => work.refuse(isStillDeadly(laneKey), isFirst));
        return;
      }
      if (suspects.has(laneKey)) alone(work);
      else if (!isOver && mayHaveKilled(begun, work)) written(work);
      else lanes.run(laneKey, () => work.handle());
    },
    close: () => cancel(),
  };
}

interface Journal {
  /** Resolves when the row says that it may be in flight. @throws Stopped, Fault */
  enter(laneKey: string): Promise<void>;
  leave(laneKey: string): void;
}

/** Who came while a write was under way shares the next one. What has ended stays written until then. */
function inFlightJournal(life: LifeRecord): Journal {
  const counts = new Map<string, number>();
  let next: Promise<void> | null = null;
  const write = async () => {
    await Promise.resolve();
    const change = life.change((now) => {
      next = null;
      return { ...now, version: now.version + 1, inFlight: [...counts.keys()] };
    });
    // Work is not refused for want of a note about it.
    await change.catch((error: unknown) => {
      if (error instanceof Stopped) throw error;
    });
  };
  return {
    enter(laneKey) {
      counts.set(laneKey, (counts.get(laneKey) ?? 0) + 1);
      next ??= write();
      return next;
    },
    leave(laneKey) {
      const left = (counts.get(laneKey) ?? 0) - 1;
      if (left > 0) counts.set(laneKey, left);
      else counts.delete(laneKey);
    },
  };
}

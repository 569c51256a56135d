// How the lives of a task ended, and what follows. A life that ended without a goodbye is a death. After one, whatever may have been in
// flight at it is written down before it starts; after two, what was in flight at both runs one at a time; only what was alone in flight
// at the third is left alone for good. A death whose goodbye comes late was none, and a life that lasts forgives all before it.

/** What is known about the lives of one task. Names of lanes stand for what runs in them: the id of a notification mostly. */
export interface TaskLife {
  /** Every write raises it by one and is guarded by it. */
  readonly version: number;
  /** uuid of the life that has the task. */
  readonly life: string;
  readonly processId: string;
  readonly beganAtMs: number;
  /** False: it said goodbye. */
  readonly isLiving: boolean;
  /** One after another, without a life between them that lasted. */
  readonly deaths: number;
  /** Whose missing goodbye was counted at the beginning, and who was found guilty of it. */
  readonly mourned: { readonly life: string; readonly guilty: string | null } | null;
  /** Written down before they started; some may have ended since. */
  readonly inFlight: readonly string[];
  /** To run one at a time. */
  readonly suspects: readonly string[];
  /** The one that runs while nothing else does. */
  readonly alone: string | null;
  /** Not to run at all. */
  readonly deadly: readonly string[];
}

/** Reason in the quarantine of what was alone in flight at the third death. */
export const DEADLY_RECORD = 'deadly-record';

const DEATHS_UNTIL_ALONE = 2;
const DEATHS_UNTIL_DEADLY = 3;
/** More than a process has in flight. */
const MAX_SUSPECTS = 2_000;
const MAX_DEADLY = 100;
/** Clocks of producers may be ahead of ours by this much. */
const CLOCKS_APART_MS = 5_000;

/** The task's next life. */
export function takeOver(
  before: TaskLife | null,
  next: { readonly life: string; readonly processId: string; readonly nowMs: number },
): TaskLife {
  const born = {
    ...{ life: next.life, processId: next.processId, beganAtMs: next.nowMs, isLiving: true },
    ...{ mourned: null, inFlight: [], alone: null },
  };
  if (before === null) return { ...born, version: 1, deaths: 0, suspects: [], deadly: [] };
  const version = before.version + 1;
  if (!before.isLiving) return { ...before, ...born, version };
  const deaths = before.deaths + 1;
  const guilty = deaths >= DEATHS_UNTIL_DEADLY ? before.alone : null;
  const deadly = guilty === null ? before.deadly : [...before.deadly, guilty].slice(-MAX_DEADLY);
  const suspected = [...before.suspects, ...before.inFlight].filter((lane) => !deadly.includes(lane));
  return {
    ...{ ...born, version, deaths, deadly },
    mourned: { life: before.life, guilty },
    suspects: deaths < DEATHS_UNTIL_ALONE ? [] : [...new Set(suspected)].slice(0, MAX_SUSPECTS),
  };
}

/** What `life` says when it gives the task away; null: it has nothing to say. A late goodbye takes the death back. */
export function sayGoodbye(now: TaskLife, life: string): TaskLife | null {
  const version = now.version + 1;
  if (now.life === life && now.isLiving)
    return { ...now, version, isLiving: false, inFlight: [], alone: null };
  if (now.mourned?.life !== life) return null;
  const { guilty } = now.mourned;
  const deaths = Math.max(0, now.deaths - 1);
  return {
    ...{ ...now, version, deaths, mourned: null },
    suspects: deaths < DEATHS_UNTIL_ALONE ? [] : now.suspects,
    deadly: now.deadly.filter((lane) => lane !== guilty),
  };
}

/** This life has lasted: what was before it is no longer held against anybody but the deadly. */
export function survive(now: TaskLife): TaskLife {
  return {
    ...now,
    ...{ version: now.version + 1, deaths: 0, mourned: null },
    ...{ inFlight: [], suspects: [], alone: null },
  };
}

/**
 * Whether a record may have been in flight at the death before this life: it was there when this life began. Nobody knows when the death was;
 * what came after it, while the session ended, is suspected with the others.
 */
export function mayHaveKilled(now: TaskLife, record: { readonly timestampMs: number }): boolean {
  return record.timestampMs <= now.beganAtMs + CLOCKS_APART_MS;
}

// An invariant that is judged when everything rests.
import type { Stage } from '../stage.ts';

/** The detail of what is broken; null when it holds. */
export type AtRest = (stage: Stage) => string | null;

export type Named = Readonly<Record<string, AtRest>>;

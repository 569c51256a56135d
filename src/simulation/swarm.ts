// How often which fault comes up. Every seed draws its own faults and rates, so that some schedules are calm but for one fault and others are
// a storm. It only shapes how a tape is drawn: a given tape needs none of it.
import { DICE, type Die } from './faults.ts';
import type { Random } from './random.ts';

/** Chances of each fault of a die. */
interface Rate {
  readonly plain: readonly number[];
  readonly dense: readonly number[];
}

export type Rates = Readonly<Record<Die, Rate>>;

/** What one seed does: its own faults at its own rates, and sometimes one place where nearly every process ends or freezes. */
export interface Swarm {
  readonly rates: Rates;
  readonly hunt: { readonly at: string; readonly chances: readonly number[] } | null;
}

/** Where a process holds something that somebody else has to take over. */
const HUNTED = [
  'after flush of claimed',
  'before flush of claimed',
  'after flush of owing',
  'before produce to dispatched',
  'after produce to dispatched',
  'before produce to retry',
  'after load of claimed',
  'after flush of in-doubt',
  'after call alpha',
  'before produce to webhooks',
  'after flush of final',
  'before flush of final',
];
const HUNTS_ONE_IN = 4;
const HUNT_CHANCES = [0.3, 0.6, 0.9];
const [CRASH, FREEZE_PAST_SESSION] = [0, 2];
/** What strikes there; null: any fault of a process. */
const HUNT_FAULTS = [CRASH, CRASH, FREEZE_PAST_SESSION, null];

/** Between claim and settle, around produce and commit. */
const DENSITY = 10;
const MAX_DENSE_CHANCE = 0.4;
/** How many of a die's faults a seed uses. */
const USED_SHARE = 0.6;
const SCALES: Readonly<Record<Die, readonly number[]>> = {
  process: [0, 0.000_5, 0.002, 0.005, 0.02],
  delay: [0, 0.002, 0.01, 0.03],
  store: [0, 0.002, 0.01, 0.03],
  produce: [0, 0.005, 0.01, 0.03],
  commit: [0, 0.02, 0.1, 0.3],
  assignment: [0, 0, 0.05, 0.2],
  call: [0, 0.2, 0.4, 0.8],
  connect: [0, 0.05, 0.2],
  lookUp: [0, 0.1, 0.4],
  report: [0, 0.3, 0.7],
};

export function drawSwarm(random: Random): Swarm {
  return { rates: drawRates(random), hunt: drawHunt(random) };
}

function drawRates(random: Random): Rates {
  return ratesOf((die) => {
    const scale = SCALES[die][random.below(SCALES[die].length)] ?? 0;
    const weights = DICE[die].map(() => (random.fraction() < USED_SHARE ? random.fraction() : 0));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const chances = (chance: number) => weights.map((weight) => (sum === 0 ? 0 : (chance * weight) / sum));
    return { plain: chances(scale), dense: chances(Math.min(MAX_DENSE_CHANCE, scale * DENSITY)) };
  });
}

function drawHunt(random: Random): Swarm['hunt'] {
  const at = HUNTED[random.below(HUNTED.length * HUNTS_ONE_IN)];
  if (at === undefined) return null;
  const chance = HUNT_CHANCES[random.below(HUNT_CHANCES.length)] ?? 0;
  const only = HUNT_FAULTS[random.below(HUNT_FAULTS.length)] ?? null;
  const share = 1 / DICE.process.length;
  return {
    at,
    chances: DICE.process.map((_, fault) => chance * (only === null ? share : Number(fault === only))),
  };
}

const NO_RATES: Rates = ratesOf((die) => {
  const never = DICE[die].map(() => 0);
  return { plain: never, dense: never };
});

function ratesOf(rateOf: (die: Die) => Rate): Rates {
  return {
    process: rateOf('process'),
    delay: rateOf('delay'),
    store: rateOf('store'),
    produce: rateOf('produce'),
    commit: rateOf('commit'),
    assignment: rateOf('assignment'),
    call: rateOf('call'),
    connect: rateOf('connect'),
    lookUp: rateOf('lookUp'),
    report: rateOf('report'),
  };
}

/** For tapes that are given. */
export const CALM: Swarm = { rates: NO_RATES, hunt: null };

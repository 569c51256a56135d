// What can go wrong where, and how often. Each die names its faults; a swarm gives every seed its own faults and rates, so that some
// schedules are calm but for one fault and others are a storm. The rates only shape how a tape is drawn: a given tape needs none of them.
import type { Random } from './random.ts';
import type { Reach } from './reach.ts';
import type { Tape } from './tape.ts';

export const DICE = {
  /** Of a process, at each of its questions and answers. */
  process: ['crash', 'blink', 'freeze-past-session', 'freeze-past-hold'],
  /** Of a question or an answer on its way. */
  delay: ['3ms', '40ms', '400ms', '3s', '9s'],
  store: ['fail', 'lose-answer', 'conflict'],
  produce: ['lost-ack', 'doubled', 'failed', 'late'],
  commit: ['fenced', 'unavailable', 'lost-ack'],
  assignment: ['reset-committed', 'out-of-range'],
  call: [
    'transient',
    'refused',
    'blocked',
    'rate-limited',
    'rate-limited-all',
    'misconfigured',
    'accepted-answer-cut',
    'not-accepted-answer-cut',
    'accepted-too-late',
    'hangs',
    'slow',
    'unclassified',
  ],
  connect: ['slow', 'past-deadline', 'refused'],
  lookUp: ['unavailable', 'slow'],
  report: [
    'delivered',
    'bounced',
    'refused',
    'bounced-then-delivered',
    'delivered-then-bounced',
    'delivered-then-refused',
    'complained',
    'unsubscribed-and-read',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Die = keyof typeof DICE;

export interface Dice {
  /** 0: nothing happens; n: the n-th fault of the die. `at` says where, for the count of what was reached. */
  roll(die: Die, at: string, isDense?: boolean): number;
  /** From here on nothing happens any more, and the tape is not read. */
  rest(): void;
}

/** Chances of each fault of a die. */
interface Rate {
  readonly plain: readonly number[];
  readonly dense: readonly number[];
}

export type Rates = Readonly<Record<Die, Rate>>;

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

export function swarmRates(random: Random): Rates {
  return ratesOf((die) => {
    const scale = SCALES[die][random.below(SCALES[die].length)] ?? 0;
    const weights = DICE[die].map(() => (random.fraction() < USED_SHARE ? random.fraction() : 0));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const chances = (chance: number) => weights.map((weight) => (sum === 0 ? 0 : (chance * weight) / sum));
    return { plain: chances(scale), dense: chances(Math.min(MAX_DENSE_CHANCE, scale * DENSITY)) };
  });
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

/** `rates` null: the tape is given and needs none. */
export function diceOf(tape: Tape, rates: Rates | null, reach: Reach): Dice {
  const chances = rates ?? NO_RATES;
  let isResting = false;
  return {
    roll(die, at, isDense = false) {
      if (isResting) return 0;
      const choice = tape.roll(isDense ? chances[die].dense : chances[die].plain);
      if (choice > 0) reach.count(`${die} ${DICE[die][choice - 1] ?? choice} @ ${at}`);
      return choice;
    },
    rest() {
      isResting = true;
    },
  };
}

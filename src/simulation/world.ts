// What everything in one schedule shares: its time, its tape by way of the dice, and the story that is told of it.
import type { Dice } from './dice.ts';
import type { Incarnation } from './incarnation.ts';
import type { Reach } from './reach.ts';
import type { SimulatedTime } from './simulated-time.ts';
import type { Tape } from './tape.ts';

export interface World {
  readonly time: SimulatedTime;
  readonly tape: Tape;
  readonly dice: Dice;
  readonly reach: Reach;
  /** One line of the story: who did what. `line` is only called when somebody listens. */
  tell(who: string, line: () => string): void;
  /** Something that may never happen did. The first counts. */
  violate(invariant: string, detail: string): void;
}

/** There and back. A question that nothing delays is there at once: half the events, and only delays change an order. */
const TRAVEL_MS = 2;
const DELAYS_MS = [3, 40, 400, 3_000, 9_000];
/** Shorter than a session; longer than a session and a lease; longer than any hold. */
const FREEZES_MS = [2_000, 20_000, 60_000];

/** Lets `process` die or freeze here, if the dice say so. `at` is where it stands. */
function disturb({ dice, tell }: World, process: Incarnation, at: string, isDense: boolean): void {
  const fault = dice.roll('process', at, isDense);
  if (fault === 0) return;
  const freezeMs = FREEZES_MS[fault - 2];
  if (freezeMs === undefined) {
    tell(process.name, () => `dies at ${at}`);
    process.kill();
  } else {
    tell(process.name, () => `freezes for ${freezeMs / 1_000} s at ${at}`);
    process.freeze(freezeMs);
  }
}

function delayMs({ dice, tell }: World, process: Incarnation, at: string, isDense: boolean): number {
  const fault = dice.roll('delay', at, isDense);
  if (fault === 0) return 0;
  const ms = DELAYS_MS[fault - 1] ?? 0;
  tell(process.name, () => `${at} takes ${ms} ms`);
  return ms;
}

/** A question leaves `process`: `arrive` runs at the server. It never leaves a dead process, and a frozen one asks when it goes on. */
export function send(
  world: World,
  process: Incarnation,
  at: string,
  isDense: boolean,
  arrive: () => void,
): void {
  if (process.state() === 'dead') return;
  disturb(world, process, `before ${at}`, isDense);
  const state: string = process.state();
  if (state === 'dead') return;
  const leave = () => {
    const ms = delayMs(world, process, `question ${at}`, isDense);
    if (ms === 0) arrive();
    else world.time.after(ms, arrive);
  };
  if (state === 'running') leave();
  else process.arrive(0, leave);
}

/** The answer goes back: `deliver` runs in the process, unless it died. */
export function answer(
  world: World,
  process: Incarnation,
  at: string,
  isDense: boolean,
  deliver: () => void,
): void {
  if (process.state() === 'dead') return;
  disturb(world, process, `after ${at}`, isDense);
  if (process.state() === 'dead') return;
  process.arrive(TRAVEL_MS + delayMs(world, process, `answer ${at}`, isDense), deliver);
}

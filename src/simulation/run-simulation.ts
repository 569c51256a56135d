// `pin sim`: many seeds, one after another, until one breaks an invariant. Says how fast it was, what it reached, and for a failure the
// story of the shortest tape. The hash at the end stands for everything that all schedules left behind.
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../runtime/clock.ts';
import { nextTurn } from '../runtime/microtasks.ts';
import { ENOUGH_SCHEDULES, unreached } from './needed-reach.ts';
import { openProtocol, type Protocol } from './protocol.ts';
import { reachCounter } from './reach.ts';
import type { Verdict, Violation } from './schedule.ts';
import { shrink } from './shrink.ts';
import { runSeed, runTape } from './simulate.ts';
import type { Choices } from './tape.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly schedules: number;
  readonly shrinks: boolean;
  /** Told about once a minute how far it is. */
  readonly onProgress?: (schedules: number, perSecond: number) => void;
}

export interface Failure {
  readonly seed: number;
  readonly violation: Violation;
  /** As short as it could be made. */
  readonly choices: Choices;
  /** Who did what, in the order of time. */
  readonly story: readonly string[];
}

export interface SimulationResult {
  readonly schedules: number;
  readonly perSecond: number;
  /** Of the final states of all schedules: the same for the same seeds, in any process. */
  readonly hash: string;
  readonly reached: ReadonlyMap<string, number>;
  /** Faults that never happened, where there were enough schedules to expect them all. */
  readonly unreached: readonly string[];
  readonly failure: Failure | null;
}

const PROGRESS_EVERY_MS = 60_000;

export async function runSimulation(
  { clock }: { readonly clock: Clock },
  options: SimulationOptions,
  signal?: AbortSignal,
): Promise<SimulationResult> {
  const protocol = await openProtocol();
  const reach = reachCounter();
  // Simulated outages are thrown by the thousand, and nobody reads where from.
  Error.stackTraceLimit = 0;
  // V8 sees that a schedule's closures live long, moves them to the old space, sees that they die with their schedule, and throws away the
  // code of every function that makes one: over and over, a fifth of the time.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const startedMs = clock.monotonicMs();
  const left = createHash('sha256');
  let schedules = 0;
  let failure: Failure | null = null;
  const speed = () => schedules / Math.max(0.001, (clock.monotonicMs() - startedMs) / 1_000);
  let toldMs = startedMs;
  for (let seed = options.seed; seed < options.seed + options.schedules; seed += 1) {
    // A schedule is promises only, from its start to its end: without a turn in between nobody could ask for the end.
    await nextTurn();
    if (signal?.aborted === true) break;
    const verdict = await runSeed(protocol, seed, reach);
    left.update(schedules === 0 ? verdict.hash : `,${verdict.hash}`);
    schedules += 1;
    if (verdict.violation !== null) {
      failure = await failureOf(protocol, seed, verdict, verdict.violation, options.shrinks);
      break;
    }
    if (clock.monotonicMs() - toldMs < PROGRESS_EVERY_MS) continue;
    toldMs = clock.monotonicMs();
    options.onProgress?.(schedules, speed());
  }
  return {
    schedules,
    perSecond: speed(),
    hash: left.digest('hex').slice(0, 16),
    reached: reach.counts(),
    unreached: schedules >= ENOUGH_SCHEDULES ? unreached(reach.counts()) : [],
    failure,
  };
}

async function failureOf(
  protocol: Protocol,
  seed: number,
  verdict: Verdict,
  violation: Violation,
  shrinks: boolean,
): Promise<Failure> {
  const choices = shrinks ? await shrink(protocol, verdict.choices, violation.invariant) : verdict.choices;
  const story: string[] = [];
  const told = await runTape(protocol, choices, reachCounter(), (line) => story.push(line));
  return { seed, violation: told.violation ?? violation, choices, story };
}

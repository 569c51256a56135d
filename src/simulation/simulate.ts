// Seeds in, verdicts out: runs schedules one after another and stops at the first violation.

import type { Protocol } from './protocol.ts';
import { randomOf } from './random.ts';
import type { Reach } from './reach.ts';
import { runSchedule, type Verdict } from './schedule.ts';
import { drawSwarm } from './swarm.ts';
import { type Choices, drawnTape, givenTape } from './tape.ts';

/** The schedule of `seed`: its swarm and its tape both come from it. */
export function runSeed(
  protocol: Protocol,
  seed: number,
  reach: Reach,
  tell?: (line: string) => void,
): Promise<Verdict> {
  const random = randomOf(seed);
  const swarm = drawSwarm(random);
  return runSchedule(protocol, drawnTape(random), { swarm, reach, ...(tell && { tell }) });
}

export function runTape(
  protocol: Protocol,
  choices: Choices,
  reach: Reach,
  tell?: (line: string) => void,
): Promise<Verdict> {
  return runSchedule(protocol, givenTape(choices), { swarm: null, reach, ...(tell && { tell }) });
}

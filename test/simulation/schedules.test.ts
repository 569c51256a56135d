// The simulator over the product's own code: many schedules from two seeds, and what it promises about itself.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { openProtocol } from '../../src/simulation/protocol.ts';
import { reachCounter } from '../../src/simulation/reach.ts';
import { runSimulation, type SimulationResult } from '../../src/simulation/run-simulation.ts';
import { runSeed, runTape } from '../../src/simulation/simulate.ts';

/** About 40 s of one core each; `pin sim` runs as many as one likes. */
const SCHEDULES_PER_SEED = 10_000;
const LIMIT_MS = 600_000;

function storyOf({ failure }: SimulationResult): string {
  if (failure === null) return 'nothing broke';
  const { seed, violation, story, choices } = failure;
  return [`seed ${seed}: ${violation.invariant}`, violation.detail, ...story, JSON.stringify(choices)].join('\n');
}

test.each([1, 5_000_000])(
  'no schedule from seed %i breaks an invariant, and every fault is reached',
  async (seed) => {
    const asked = { seed, schedules: SCHEDULES_PER_SEED, shrinks: true };
    const result = await runSimulation({ clock: systemClock }, asked);
    expect(storyOf(result)).toBe('nothing broke');
    expect(result.unreached).toEqual([]);
  },
  LIMIT_MS,
);

test('the same seed leaves the same behind, however often and after whatever it runs', async () => {
  const protocol = await openProtocol();
  const hashes = async () => {
    const seen: string[] = [];
    for (let seed = 40; seed < 60; seed += 1) seen.push((await runSeed(protocol, seed, reachCounter())).hash);
    return seen;
  };
  const first = await hashes();
  expect(new Set(first).size).toBeGreaterThan(15);
  expect(await hashes()).toEqual(first);
});

test('a tape that was drawn gives the same schedule when it is read back', async () => {
  const protocol = await openProtocol();
  for (let seed = 100; seed < 120; seed += 1) {
    const drawn = await runSeed(protocol, seed, reachCounter());
    const read = await runTape(protocol, drawn.choices, reachCounter());
    expect([read.hash, read.choices]).toEqual([drawn.hash, drawn.choices]);
  }
});

test('an empty tape is a calm day', async () => {
  const protocol = await openProtocol();
  const lines: string[] = [];
  const verdict = await runTape(protocol, [], reachCounter(), (line) => lines.push(line));
  expect(verdict.violation).toBeNull();
  expect(lines.filter((line) => line.includes('puts out'))).toHaveLength(1);
});

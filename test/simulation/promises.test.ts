// What the simulator promises about itself: the same seed, the same run; a tape read back, the same run; nothing drawn, nothing happens.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { openProtocol } from '../../src/simulation/protocol.ts';
import { reachCounter } from '../../src/simulation/reach.ts';
import { runSimulation } from '../../src/simulation/run-simulation.ts';
import { runSeed, runTape } from '../../src/simulation/simulate.ts';

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

test('the first schedule of a process is what it is later', async () => {
  for (let seed = 100; seed < 130; seed += 1) {
    const protocol = await openProtocol();
    const first = await runSeed(protocol, seed, reachCounter());
    expect(await runSeed(protocol, seed, reachCounter())).toEqual(first);
  }
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

test('a run that is asked to end ends after the schedule that it is in', async () => {
  const asked = new AbortController();
  setImmediate(() => asked.abort());
  const options = { seed: 1, schedules: 100_000, shrinks: false };
  const result = await runSimulation({ clock: systemClock }, options, asked.signal);
  expect(result.schedules).toBeLessThan(100);
});

test('a long run says about once a minute how far it is', async () => {
  let nowMs = 0;
  const slow = {
    ...systemClock,
    monotonicMs: () => {
      nowMs += 15_000;
      return nowMs;
    },
  };
  const told: number[] = [];
  await runSimulation(
    { clock: slow },
    { seed: 1, schedules: 10, shrinks: false, onProgress: (schedules) => told.push(schedules) },
  );
  expect(told.length).toBeGreaterThan(1);
  expect(told.length).toBeLessThan(10);
  expect(told.every((schedules) => schedules > 0 && schedules <= 10)).toBe(true);
});

// Many schedules by `pin sim` as people run it: the built program is a good deal faster than the test runner's view of the source.
import { expect } from 'vitest';
import { pin } from '../support/pin-process.ts';

/** A busy small machine does 40 to 70 a second. More of them is for the night: `pin sim`. */
const SCHEDULES_PER_SEED = 10_000;
export const SCHEDULES_LIMIT_MS = 900_000;

interface Report {
  readonly schedules: number;
  readonly unreached: readonly string[];
  readonly failure: {
    readonly seed: number;
    readonly violation: { readonly invariant: string; readonly detail: string };
    readonly choices: readonly number[];
    readonly story: readonly string[];
  } | null;
}

export async function expectNothingBreaks(seed: number): Promise<void> {
  const args = [
    'sim',
    '--seed',
    String(seed),
    '--schedules',
    String(SCHEDULES_PER_SEED),
    '--shrink',
    '--json',
  ];
  const { stdout } = await pin(args, {}, '', SCHEDULES_LIMIT_MS);
  const report = JSON.parse(stdout) as Report;
  expect(storyOf(report)).toBe('nothing broke');
  expect(report.unreached).toEqual([]);
  expect(report.schedules).toBe(SCHEDULES_PER_SEED);
}

function storyOf({ failure }: Report): string {
  if (failure === null) return 'nothing broke';
  const { seed, violation, story, choices } = failure;
  return [`seed ${seed}: ${violation.invariant}`, violation.detail, ...story, JSON.stringify(choices)].join(
    '\n',
  );
}

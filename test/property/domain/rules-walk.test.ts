// Random walks over the rules: any order of wake-ups, calls, deaths, late and repeated answers, configuration and gates.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTrail } from '../../../src/domain/trail.ts';
import { admit, calm, take } from './walk.ts';
import { checkEnd } from './walk-invariants.ts';
import { readAgain } from './walk-protocol.ts';
import { startWalk, type Walk } from './walk-state.ts';
import { type AnyWalk, walks } from './walk-steps.ts';

/** More for a longer look: `WALK_RUNS=200000`. */
const { WALK_RUNS = '2000' } = process.env;
const RUNS = Number(WALK_RUNS);
const TIMEOUT_MS = Math.max(30_000, RUNS * 20);

/** A set of walks that never came to one of these has proved little. */
const RULES = [
  ...['claimed', 'taken-over', 'released', 'not-before', 'held', 'gate-closed', 'late-answer'],
  ...['transient', 'rate-limited', 'misconfigured', 'unknown', 'look-up-unavailable'],
  ...['accepted', 'late-accepted', 'looked-up', 'refused', 'exhausted', 'assumed-sent'],
  ...['unknown-outcome', 'expired'],
  ...['webhook', 'reopened', 'failed-webhook', 'cancelled', 'command-cancel', 'command-redrive'],
  ...['command-release', 'command-close', 'command-mark-read'],
];

function walked({ setup, steps }: AnyWalk): Walk {
  const walk = startWalk(setup);
  admit(walk);
  for (const step of steps) take(walk, step);
  return walk;
}

function diaryOf(walk: Walk): string {
  return `the walk did not end:\n${walk.diary.join('\n')}`;
}

function mustEnd(walk: Walk): void {
  if (!calm(walk, {})) expect.fail(diaryOf(walk));
  checkEnd(walk);
}

describe('any walk over the rules', () => {
  test(
    'keeps every obligation, attempt and ending as specified, and ends when faults stop',
    () => {
      const reached = new Set<string>();
      fc.assert(
        fc.property(walks, (any) => {
          const walk = walked(any);
          mustEnd(walk);
          for (const told of any.late) take(walk, told);
          mustEnd(walk);
          readAgain(walk);
          for (const { rule } of parseTrail(walk.row?.trail ?? '')) reached.add(rule);
        }),
        { numRuns: RUNS },
      );
      expect(RULES.filter((rule) => !reached.has(rule))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    'ends or is held for a named reason when its channel stays off, and is called no more',
    () => {
      fc.assert(
        fc.property(walks, (any) => {
          const walk = walked(any);
          const claims = walk.calls.length;
          if (!calm(walk, { isEnabled: false })) expect.fail(diaryOf(walk));
          expect(walk.calls.length).toBe(claims);
        }),
        { numRuns: RUNS / 4 },
      );
    },
    TIMEOUT_MS,
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appendTrail,
  MAX_TRAIL_CHARS,
  MAX_TRAIL_CODE_CHARS,
  parseTrail,
  trailCode,
} from '../../../src/domain/trail.ts';
import { runs } from '../../support/property-runs.ts';

const rules = fc.stringMatching(/^[a-z][a-z-]{0,20}$/);
const values = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 200 }),
  fc.integer(),
  fc.constant(null),
);
const facts = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), values, { maxKeys: 6 });
const codes = fc.tuple(rules, facts).map(([rule, said]) => trailCode(rule, said));

describe('the trail, whatever is written into it', () => {
  test('a code is printable ASCII of at most its limit', () => {
    fc.assert(
      fc.property(codes, (code) => {
        expect(code).toMatch(/^[ -~]+$/);
        expect(code.length).toBeLessThanOrEqual(MAX_TRAIL_CODE_CHARS);
      }),
    );
  });

  test('a code that fits is read back whole', () => {
    const plain = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.stringMatching(/^[!-~]{0,8}$/), {
      maxKeys: 5,
    });
    fc.assert(
      fc.property(rules, plain, fc.nat(), (rule, said, atMs) => {
        expect(parseTrail(appendTrail('', trailCode(rule, said), atMs))).toEqual([
          { atMs, rule, facts: { ...said } },
        ]);
      }),
    );
  });

  test('stays inside its limit and ends with the newest whole lines', () => {
    fc.assert(
      fc.property(fc.array(codes, { maxLength: 120, size: 'max' }), (many) => {
        const lines = many.map((code, index) => `${index} ${code}\n`);
        const trail = many.reduce((before, code, index) => appendTrail(before, code, index), '');
        expect(trail.length).toBeLessThanOrEqual(MAX_TRAIL_CHARS);
        expect(lines.join('').endsWith(trail)).toBe(true);
        expect(trail === '' || lines.includes(`${trail.split('\n')[0]}\n`)).toBe(true);
        expect(trail.length > MAX_TRAIL_CHARS - 2 * 140 || trail === lines.join('')).toBe(true);
      }),
      { numRuns: runs(50) },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration, roughDuration } from '../../../src/runtime/duration.ts';

describe('durations', () => {
  it('are read as a whole number with a unit', () => {
    expect(['500ms', '5s', '15m', '1h', '7d'].map(parseDuration)).toEqual([
      500, 5_000, 900_000, 3_600_000, 604_800_000,
    ]);
    expect(['', '5', '1.5s', '-1s', '5 s', '5w'].map(parseDuration)).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('are written in the form that is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 900_000_000 }), (durationMs) => {
        expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
      }),
    );
    expect([0, 1_000, 90_000, 900_000].map(formatDuration)).toEqual(['0s', '1s', '90s', '15m']);
  });

  it('are told to people in their two largest units', () => {
    expect([400, 9_999, 192_000, 60_000, 187_200_000].map(roughDuration)).toEqual([
      '0.4 s',
      '10 s',
      '3 m 12 s',
      '1 m',
      '2 d 4 h',
    ]);
  });
});

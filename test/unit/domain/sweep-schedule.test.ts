import { describe, expect, test } from 'vitest';
import { repeatsInPass } from '../../../src/domain/sweep-schedule.ts';

const MINUTE_MS = 60_000;
const WAKE_AT_MS = 1_000_000_000;

/** Minutes after its time at which a row that nobody handles is woken, when a pass runs every `periodMs`. */
function repeats(wakeInLog: boolean, untilMinutes: number, periodMs = MINUTE_MS, phaseMs = 500): number[] {
  const minutes: number[] = [];
  let lastMs: number | null = WAKE_AT_MS - 5 * MINUTE_MS;
  for (let afterMs = phaseMs - periodMs; afterMs <= untilMinutes * MINUTE_MS; afterMs += periodMs) {
    const nowMs = WAKE_AT_MS + afterMs;
    if (afterMs >= 0 && repeatsInPass({ wakeAtMs: WAKE_AT_MS, wakeInLog }, nowMs, lastMs))
      minutes.push(Math.floor(afterMs / MINUTE_MS));
    lastMs = nowMs;
  }
  return minutes;
}

describe('a row that nobody handles', () => {
  test('is woken when it is overdue, then 2, 4, 8, 16, 32, 60 minutes after its time, then hourly', () => {
    expect(repeats(false, 250)).toEqual([0, 2, 4, 8, 16, 32, 60, 120, 180, 240]);
  });

  test('gets a moment for the record that carries it', () => {
    expect(repeats(true, 70)).toEqual([1, 2, 4, 8, 16, 32, 60]);
    const row = { wakeAtMs: WAKE_AT_MS, wakeInLog: true };
    expect(repeatsInPass(row, WAKE_AT_MS + 9_999, WAKE_AT_MS - MINUTE_MS)).toBe(false);
    expect(repeatsInPass(row, WAKE_AT_MS + 10_000, WAKE_AT_MS - MINUTE_MS)).toBe(true);
  });

  test('is woken once for all that was missed when no pass ran for long', () => {
    const row = { wakeAtMs: WAKE_AT_MS, wakeInLog: true };
    const now = WAKE_AT_MS + 300 * MINUTE_MS;
    expect(repeatsInPass(row, now, WAKE_AT_MS + MINUTE_MS)).toBe(true);
    expect(repeatsInPass(row, now + MINUTE_MS, now)).toBe(false);
  });

  test('is woken by the first pass ever', () => {
    expect(repeatsInPass({ wakeAtMs: WAKE_AT_MS, wakeInLog: false }, WAKE_AT_MS, null)).toBe(true);
  });
});

describe('a row that is not due yet', () => {
  test('enters the log ahead of its time when no record carries it, once', () => {
    const row = { wakeAtMs: WAKE_AT_MS, wakeInLog: false };
    expect(repeatsInPass(row, WAKE_AT_MS - 100_000, WAKE_AT_MS - 160_000)).toBe(true);
    expect(repeatsInPass({ ...row, wakeInLog: true }, WAKE_AT_MS - 40_000, WAKE_AT_MS - 100_000)).toBe(false);
  });
});

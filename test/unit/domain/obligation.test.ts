import { describe, expect, test } from 'vitest';
import { obligationOf, owesOutcome } from '../../../src/domain/obligation.ts';
import { aClaimed, aNotification, NOW_MS } from '../../support/a-notification.ts';

describe('obligationOf', () => {
  test('an outcome that the topic has not acknowledged comes before everything', () => {
    const row = aNotification({ final: 'accepted', outcomeSeq: 2, publishedSeq: 1, wakeInLog: true });
    expect(owesOutcome(row)).toBe(true);
    expect(obligationOf(row)).toEqual({ kind: 'outcome' });
  });

  test('a wake-up that a record carries is named with its time and sequence', () => {
    expect(obligationOf(aNotification({ wakeAtMs: NOW_MS + 5, wakeSeq: 7 }))).toEqual({
      kind: 'wake-up',
      dueAtMs: NOW_MS + 5,
      wakeSeq: 7,
    });
  });

  test('a lease and a long rest owe the log nothing', () => {
    expect(obligationOf(aClaimed())).toEqual({ kind: 'nothing' });
    expect(obligationOf(aNotification({ wakeInLog: false }))).toEqual({ kind: 'nothing' });
    expect(obligationOf(aNotification({ wakeAtMs: null, hold: 'channel-disabled' }))).toEqual({
      kind: 'nothing',
    });
  });
});

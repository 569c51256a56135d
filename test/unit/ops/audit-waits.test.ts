import { describe, expect, it } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import { auditWaits } from '../../../src/ops/audit-waits.ts';
import { aRow } from './a-row.ts';
import { aScope, aSentRow, aSubject, NOW_MS, told } from './an-audit.ts';

const judge = (row: Notification, isQuiescent = false) =>
  told(auditWaits('id', aSubject({ row }), aScope({ isQuiescent })));

describe('S2, one current final', () => {
  it('is content with what is final and published', () => {
    expect(judge(aSentRow())).toEqual([]);
    expect(judge(aSentRow(), true)).toEqual([]);
  });

  it('lets a row wait for its time, until nothing may be under way', () => {
    const row = aRow({ wakeAtMs: NOW_MS - 119_000 });
    expect(judge(row)).toEqual([]);
    expect(judge(row, true)).toEqual(['S2: Pending, 0 attempts']);
  });

  it('sees a wake-up that the sweeper should have found', () => {
    expect(judge(aRow({ wakeAtMs: NOW_MS - 150_000 }))).toEqual(['S2: Pending, 0 attempts, 150 s late']);
  });

  it('sees a row that waits for nothing', () => {
    expect(judge(aRow({ wakeAtMs: null }))).toEqual(['S2: Pending, 0 attempts, neither']);
  });

  it('takes a hold for a reason to wait, also at quiescence', () => {
    const row = aRow({ wakeAtMs: null, hold: 'channel-disabled' });
    expect(judge(row)).toEqual([]);
    expect(judge(row, true)).toEqual([]);
  });

  it('sees an outcome that nobody publishes', () => {
    const row = aSentRow({ publishedSeq: 0, wakeAtMs: NOW_MS - 150_000 });
    expect(judge(row)).toEqual(['S2: outcome 1 not acknowledged, 150 s late']);
    expect(judge(aSentRow({ publishedSeq: 0, wakeAtMs: NOW_MS }), true)).toEqual([
      'S2: outcome 1 not acknowledged',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { AuditScope, Subject } from '../../../src/ops/audit-facts.ts';
import { auditOutcomes } from '../../../src/ops/audit-outcomes.ts';
import { aRow } from './a-row.ts';
import { anOutcome, aSaying, aScope, aSentRow, aSubject, NOW_MS, told } from './an-audit.ts';

const judge = (subject: Subject, scope: Partial<AuditScope> = {}) =>
  told(auditOutcomes('id', subject, aScope(scope)));

describe('S3, dispatched is complete and unambiguous', () => {
  it('is content with one outcome, however often it was written', () => {
    expect(judge(aSubject())).toEqual([]);
    expect(judge(aSubject({ outcomes: [{ ...aSaying(), records: 3 }] }))).toEqual([]);
  });

  it('sees repeats that differ', () => {
    const outcomes = [{ ...aSaying(), records: 3, differing: 1 }];
    expect(judge(aSubject({ outcomes }))).toEqual(['S3: 1 of 3 differ from the first']);
  });

  it('misses an outcome that the row says is acknowledged', () => {
    expect(judge(aSubject({ outcomes: [] }))).toEqual(['S3: outcome 1 missing']);
    const second = anOutcome({ seq: 2, supersedes: 1 });
    const row = aSentRow({ outcome: second, outcomeSeq: 2, publishedSeq: 2 });
    expect(judge(aSubject({ row, outcomes: [aSaying({ seq: 2, supersedes: 1 })] }))).toEqual([
      'S3: outcome 1 missing',
    ]);
  });

  it('lets an outcome be owed, until nothing may be under way', () => {
    const subject = aSubject({ row: aSentRow({ publishedSeq: 0 }), outcomes: [] });
    expect(judge(subject)).toEqual([]);
    expect(judge(subject, { isQuiescent: true })).toEqual(['S3: outcome 1 missing']);
  });

  it('does not judge an outcome that retention may have taken', () => {
    expect(judge(aSubject({ outcomes: [] }), { outcomesSinceMs: NOW_MS })).toEqual([
      'outcomes of rows older than the oldest outcome in the topic',
    ]);
  });

  it('sees an outcome of an intermediate failure', () => {
    const subject = aSubject({ row: aRow({ status: 'Failed', attempts: 1 }), outcomes: [aSaying()] });
    expect(judge(subject)).toEqual(['S3: outcome 1 too']);
  });

  it('sees an outcome without a row', () => {
    expect(judge(aSubject({ row: null }))).toEqual(['S3: outcome 1 and no row']);
  });

  it('sees a highest outcome that says something else than the row', () => {
    const found = judge(aSubject({ outcomes: [aSaying({ status: 'Failed', reason: 'exhausted' })] }));
    expect(found).toEqual(['S3: 1 supersedes none, Failed exhausted, cycle 0, attempts 1, message m-1']);
    const row = aSentRow({ status: 'Failed' });
    expect(judge(aSubject({ row }))).toEqual(['S3: Sent']);
  });

  it('asks nothing of a consumer that publishes no outcomes', () => {
    expect(judge(aSubject({ outcomes: [] }), { judgesOutcomes: false })).toEqual([]);
  });
});

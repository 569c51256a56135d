import { describe, expect, it } from 'vitest';
import { auditConservation } from '../../../src/ops/audit-conservation.ts';
import type { AuditScope, Subject } from '../../../src/ops/audit-facts.ts';
import { aScope, aSentRow, aSubject, NOW_MS, told } from './an-audit.ts';

const judge = (subject: Subject, scope: Partial<AuditScope> = {}) =>
  told(auditConservation('id', subject, aScope(scope)));
const request = { partition: 2, offset: 7, payloadHash: 'hash', isCommitted: true };

describe('conservation', () => {
  it('is content with a request that has its row', () => {
    expect(judge(aSubject())).toEqual([]);
    expect(judge(aSubject(), { isQuiescent: true })).toEqual([]);
  });

  it('misses the row of a committed request', () => {
    expect(judge(aSubject({ row: null }))).toEqual(['conservation: none']);
  });

  it('lets a request that is not committed be under way, unless nothing is', () => {
    const subject = aSubject({ row: null, requests: [{ ...request, isCommitted: false }] });
    expect(judge(subject)).toEqual([]);
    expect(judge(subject, { isQuiescent: true })).toEqual(['conservation: none']);
  });

  it('takes a quarantine entry for a trace', () => {
    expect(judge(aSubject({ row: null, isQuarantined: true }))).toEqual([]);
  });

  it('misses the dead letter of a request that breaks its contract, row or not', () => {
    const requests = [{ ...request, payloadHash: null }];
    expect(judge(aSubject({ requests }))).toEqual(['conservation: none']);
  });

  it('misses the dead letter of a second payload under the same id', () => {
    const requests = [request, { ...request, offset: 8, payloadHash: 'other' }];
    expect(judge(aSubject({ requests }))).toEqual(['conservation: none']);
  });

  it('misses the request of a row, as far as the topic still has it', () => {
    const subject = aSubject({ requests: [] });
    expect(judge(subject)).toEqual(['conservation: none']);
    expect(judge(subject, { requestsSinceMs: NOW_MS })).toEqual([
      'rows older than the oldest request in the topic',
    ]);
  });

  it('does not expect the request of a row that is younger than the reading of the topic', () => {
    const subject = aSubject({ requests: [], row: aSentRow({ createdAtMs: NOW_MS + 1 }) });
    expect(judge(subject)).toEqual([]);
    expect(judge(subject, { isQuiescent: true })).toEqual(['conservation: none']);
  });

  it('does not judge a row that a cancel made', () => {
    const row = aSentRow({ status: 'Failed', final: 'cancelled', attempts: 0 });
    expect(judge(aSubject({ requests: [], row }))).toEqual(['rows that a cancel made']);
  });
});

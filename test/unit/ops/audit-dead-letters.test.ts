import { describe, expect, it } from 'vitest';
import { auditDeadLetters } from '../../../src/ops/audit-dead-letters.ts';
import { aSentRow, aSubject, told } from './an-audit.ts';

const judge = (...given: Parameters<typeof aSubject>) => told(auditDeadLetters('id', aSubject(...given)));
const exhausted = aSentRow({ status: 'Failed', final: 'exhausted', attempts: 5 });

describe('S19, exhaustion is no dead letter', () => {
  it('sees a dead letter of a request that was worked on', () => {
    const deadLetters = [{ place: '0/3', payloadHash: 'hash' }];
    expect(judge({ row: exhausted, deadLetters })).toEqual([
      'S19: dead letter 0/3, and a row with 5 attempts',
    ]);
  });

  it('is content with the dead letter of another payload, and of a request that was never worked on', () => {
    expect(judge({ row: exhausted, deadLetters: [{ place: '0/3', payloadHash: 'other' }] })).toEqual([]);
    const deadLetters = [{ place: '0/3', payloadHash: 'hash' }];
    expect(judge({ row: aSentRow({ attempts: 0 }), deadLetters })).toEqual([]);
    expect(judge({ row: null, deadLetters })).toEqual([]);
  });
});

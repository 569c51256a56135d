import { describe, expect, it } from 'vitest';
import type { MessageEvidence } from '../../../src/domain/notification.ts';
import type { AuditScope, Subject } from '../../../src/ops/audit-facts.ts';
import { auditMessages } from '../../../src/ops/audit-messages.ts';
import { aScope, aSentRow, aSubject, told } from './an-audit.ts';

const judge = (subject: Subject, scope: Partial<AuditScope> = {}) =>
  told(auditMessages('id', subject, aScope(scope)));
const message = (messageId: string, over: Partial<MessageEvidence> = {}): MessageEvidence => {
  return { messageId, cycle: 0, attempt: 1, verdict: 'accepted', ...over };
};

describe('S1, no second message', () => {
  it('is content with one message a cycle', () => {
    expect(judge(aSubject())).toEqual([]);
    const evidence = [message('m-1', { verdict: 'failed-transient' }), message('m-2')];
    expect(judge(aSubject({ row: aSentRow({ evidence }) }))).toEqual([]);
    const cycles = [message('m-1'), message('m-2', { cycle: 1 })];
    expect(judge(aSubject({ row: aSentRow({ evidence: cycles }) }))).toEqual([]);
  });

  it('sees two standing messages in the row', () => {
    const row = aSentRow({ evidence: [message('m-1'), message('m-2', { verdict: 'delivered' })] });
    expect(judge(aSubject({ row }))).toEqual(['S1: 2 in the row’s evidence']);
  });

  it('sees two messages in the ledger that the row knows nothing of', () => {
    expect(judge(aSubject({ messages: new Map([[0, 2]]) }))).toEqual(['S1: 2 in the ledger']);
  });

  it('allows one more for each that was resent knowingly, and not one beyond', () => {
    const row = aSentRow({ trail: '1 claimed n=1\n2 claimed n=2 resend=1\n' });
    expect(judge(aSubject({ row, messages: new Map([[0, 2]]) }))).toEqual([]);
    expect(judge(aSubject({ row, messages: new Map([[0, 3]]) }))).toEqual(['S1: 3 in the ledger']);
  });

  it('does not judge what a purged row no longer tells', () => {
    const row = aSentRow({ trail: '7 purged\n' });
    expect(judge(aSubject({ row, messages: new Map([[0, 2]]) }))).toEqual([
      'purged rows, which no longer tell how often they were resent',
    ]);
  });

  it('does not judge repeats at a provider that replaces messages', () => {
    const scope = { replacingProviders: new Set(['mail']) };
    expect(judge(aSubject({ messages: new Map([[0, 2]]) }), scope)).toEqual([
      'repeats at a provider that replaces messages',
    ]);
  });
});

describe('S22, Sent has a message', () => {
  it('misses the message of a Sent row in the ledger', () => {
    expect(judge(aSubject({ messages: new Map() }))).toEqual(['S22: none, and the row is Sent']);
    expect(judge(aSubject({ messages: new Map([[1, 1]]) }))).toEqual(['S22: none, and the row is Sent']);
  });

  it('asks nothing without a ledger, and of a row that is only assumed to be Sent', () => {
    expect(judge(aSubject({ messages: null }))).toEqual([]);
    expect(judge(aSubject({ messages: new Map(), row: aSentRow({ final: 'assumed' }) }))).toEqual([]);
  });

  it('misses the row of a message', () => {
    expect(judge(aSubject({ row: null }))).toEqual(['S22: 1 messages, no row']);
    expect(judge(aSubject({ row: null, messages: new Map() }))).toEqual([]);
  });
});

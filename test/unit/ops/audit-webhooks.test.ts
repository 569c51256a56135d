import { describe, expect, it } from 'vitest';
import type { ProviderWebhook } from '../../../src/domain/provider-webhook.ts';
import type { AuditScope, Subject } from '../../../src/ops/audit-facts.ts';
import { auditWebhooks } from '../../../src/ops/audit-webhooks.ts';
import { aWebhook } from '../../support/a-notification.ts';
import { aRead, aScope, aSentRow, aSubject, told } from './an-audit.ts';

const AT_MS = 1_000;
const judge = (subject: Subject, scope: Partial<AuditScope> = {}) =>
  told(auditWebhooks('id', subject, aScope(scope)));
const fact = (over: Partial<ProviderWebhook> = {}, isCommitted = true) => ({
  webhook: aWebhook({ providerMessageId: 'm-1', verdict: 'delivered', occurredAtMs: AT_MS, ...over }),
  place: '0/3',
  isCommitted,
  isKept: false,
});
const delivered = aSentRow({
  deliveredAtMs: AT_MS,
  evidence: [{ messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'delivered' }],
});

describe('S10, no webhook is lost', () => {
  it('is content when the row says what the webhooks said, in any order and however often', () => {
    const webhooks = [
      fact(),
      fact({ occurredAtMs: AT_MS + 9 }),
      fact({ verdict: 'failed', errorClass: 'transient' }),
    ];
    expect(judge(aSubject({ row: delivered, webhooks }))).toEqual([]);
  });

  it('sees a verdict that is not in the row, a lower one, and a time that was not stamped', () => {
    expect(judge(aSubject({ row: delivered, webhooks: [fact({ providerMessageId: 'm-2' })] }))).toEqual([
      'S10: the message is unknown there',
    ]);
    const hard = fact({ verdict: 'failed', errorClass: 'refused' });
    expect(judge(aSubject({ row: delivered, webhooks: [hard] }))).toEqual([
      'S10: the message is delivered there',
    ]);
    const seen = fact({ verdict: 'read' });
    expect(judge(aSubject({ row: delivered, webhooks: [seen] }))).toEqual(['S10: the time none']);
    const earlier = fact({ occurredAtMs: AT_MS - 1 });
    expect(judge(aSubject({ row: delivered, webhooks: [earlier] }))).toEqual([`S10: the time ${AT_MS}`]);
  });

  it('accepts a webhook without a row only when it is parked or in quarantine', () => {
    const [known] = [fact()];
    expect(judge(aSubject({ row: null, webhooks: [{ ...known, isKept: true }] }))).toEqual([]);
    expect(judge(aSubject({ row: null, webhooks: [known] }))).toEqual([
      'S10: no row, and it is neither parked nor in quarantine',
    ]);
  });

  it('waits for what the group has not committed, unless nothing moves any more', () => {
    const webhooks = [fact({}, false)];
    expect(judge(aSubject({ row: null, webhooks }))).toEqual([]);
    expect(judge(aSubject({ row: null, webhooks }), { isQuiescent: true })).toHaveLength(1);
  });

  it('says what it cannot judge', () => {
    const purged = { ...aSubject({ webhooks: [fact()] }), stored: aRead(aSentRow(), { hasRequest: false }) };
    expect(judge(purged)).toEqual(['webhooks of rows whose request is gone']);
    const nameless = fact({ providerMessageId: null });
    expect(judge(aSubject({ row: delivered, webhooks: [nameless] }))).toEqual([
      'webhooks that name no message',
    ]);
    const evidence = Array.from({ length: 16 }, (_, index) => {
      return { messageId: `x-${index}`, cycle: index, attempt: 1, verdict: 'accepted' as const };
    });
    const full = aSentRow({ deliveredAtMs: AT_MS, evidence });
    expect(judge(aSubject({ row: full, webhooks: [fact()] }))).toEqual([
      'webhooks of rows that know as many messages as they can',
    ]);
  });
});

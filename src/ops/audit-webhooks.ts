// S10: no webhook is lost. What a provider reported is in the row (its message's verdict is at least that, its time is stamped), is parked,
// or is in quarantine with a reason. The judge is the topic's own bytes against the table: no counter of the product is asked, and any
// order and any number of repeats must come to the same row.
import { MAX_MESSAGES, verdictOf } from '../domain/evidence.ts';
import { type Notification, VERDICTS } from '../domain/notification.ts';
import { newsOf } from '../domain/webhook-news.ts';
import {
  type AuditScope,
  type Remark,
  type Subject,
  unjudged,
  violationOf,
  type WebhookFact,
} from './audit-facts.ts';

export function auditWebhooks(
  id: string,
  { webhooks, stored }: Subject,
  scope: AuditScope,
): readonly Remark[] {
  return webhooks.flatMap((fact): readonly Remark[] => {
    const isUnderWay = !fact.isCommitted && !scope.isQuiescent;
    if (isUnderWay || fact.isKept) return [];
    if (stored === null) return [missing(id, fact, 'no row, and it is neither parked nor in quarantine')];
    if (!stored.hasRequest) return [unjudged('webhooks of rows whose request is gone')];
    return [...unstamped(id, fact, stored.row), ...unheard(id, fact, stored.row)];
  });
}

/** The earliest time of its kind is the row's. */
function unstamped(id: string, fact: WebhookFact, row: Notification): readonly Remark[] {
  const { verdict, occurredAtMs } = fact.webhook;
  if (verdict === 'failed') return [];
  const stamp = {
    delivered: row.deliveredAtMs,
    read: row.seenAtMs,
    complained: row.complainedAtMs,
    unsubscribed: row.unsubscribedAtMs,
  }[verdict];
  return stamp !== null && stamp <= occurredAtMs ? [] : [missing(id, fact, `the time ${stamp ?? 'none'}`)];
}

/** Of a message, the highest verdict is what its evidence says. */
function unheard(id: string, fact: WebhookFact, row: Notification): readonly Remark[] {
  const { providerMessageId } = fact.webhook;
  const news = newsOf(fact.webhook);
  if (news === null) return [];
  if (providerMessageId === null) return [unjudged('webhooks that name no message')];
  const verdict = verdictOf(row.evidence, providerMessageId);
  if (verdict !== null && VERDICTS.indexOf(verdict) >= VERDICTS.indexOf(news.verdict)) return [];
  if (verdict === null && row.evidence.length >= MAX_MESSAGES)
    return [unjudged('webhooks of rows that know as many messages as they can')];
  return [missing(id, fact, `the message is ${verdict ?? 'unknown'} there`)];
}

function missing(id: string, { webhook, place }: WebhookFact, found: string): Remark {
  return violationOf(
    'S10',
    id,
    `webhook ${webhook.verdict} at ${place} in its row, parked or in quarantine`,
    found,
  );
}

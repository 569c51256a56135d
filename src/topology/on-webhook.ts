// What a record of webhooks.v1 becomes: folded into its row until the row says it, ignored with a reason, parked while there is no row, or
// quarantined. Every record is counted once as received and once by what it came to.
import type { LogRecord } from '../broker/log.ts';
import type { Notification } from '../domain/notification.ts';
import type { ProviderWebhook } from '../domain/provider-webhook.ts';
import type { Content } from '../domain/request.ts';
import { planWebhook } from '../domain/webhook.ts';
import { isUnclassified } from '../domain/webhook-news.ts';
import { InvariantBroken, invariant } from '../runtime/fault.ts';
import type { Stored } from '../state/store.ts';
import { decodeProviderWebhook } from '../streams/provider-webhook.ts';
import { causeFacts } from './cause-facts.ts';
import { quarantineRecord } from './dead-letters.ts';
import { type Engine, factsFor } from './engine.ts';
import { parkWebhook } from './message-join.ts';
import { payObligation, publishOutcome } from './obligations.ts';
import { commitChange, loadStored } from './subject.ts';
import { DONE, type Turn } from './turn.ts';

/** What was said of a webhook; `parked` is counted where it is parked. */
type WebhookResult = 'applied' | `ignored-${string}` | `dead-${string}`;

/** Other writers of one key are few: a zombie, its successor, a sweep. */
const MAX_FOLDS = 100;

export async function onWebhook(engine: Engine, record: LogRecord): Promise<Turn> {
  const answer = await engine.schemas.decode(() => decodeProviderWebhook(engine.codec, record));
  if (answer.kind !== 'decoded') {
    const reason = answer.kind === 'violation' ? answer.reason : 'undecodable';
    await quarantineRecord(engine, record, {
      reason,
      detail: answer.kind === 'violation' ? answer.detail : '',
    });
    count(engine, UNREAD, 'received');
    count(engine, UNREAD, `dead-${reason}`);
    return DONE;
  }
  const webhook = answer.value;
  const stored = await loadStored(engine, webhook.notificationId);
  if (stored === null) await parkWebhook(engine, webhook);
  const result = stored === null ? null : await fold(engine, stored, webhook);
  count(engine, webhook.provider, 'received');
  if (result !== null) count(engine, webhook.provider, result);
  return DONE;
}

/** Of a record that could not be read. */
const UNREAD = 'unread';

function count(engine: Engine, provider: string, result: 'received' | WebhookResult): void {
  engine.metrics.increment('pin_webhooks_total', { provider, result });
}

/** null: the row went away meanwhile, and the webhook is parked. */
async function fold(engine: Engine, start: Stored, webhook: ProviderWebhook): Promise<WebhookResult | null> {
  let current: Stored | null = start;
  for (let tries = 0; tries < MAX_FOLDS; tries += 1) {
    const result: WebhookResult | 'lost-race' = await foldInto(engine, current, webhook);
    if (result !== 'lost-race') return result;
    current = await loadStored(engine, webhook.notificationId);
    if (current !== null) continue;
    await parkWebhook(engine, webhook);
    return null;
  }
  throw new InvariantBroken(`a webhook could not be recorded for ${start.row.id}`);
}

async function foldInto(
  engine: Engine,
  { row: loaded, content }: Stored,
  webhook: ProviderWebhook,
): Promise<WebhookResult | 'lost-race'> {
  // What is left of a purged notification has nothing to tell an outcome with.
  if (content === null) return 'ignored-purged';
  let row: Notification = loaded;
  let plan = planWebhook(row, webhook, factsFor(engine, row, content));
  if (plan.kind === 'publish') {
    row = await publishOutcome(engine, row, content);
    plan = planWebhook(row, webhook, factsFor(engine, row, content));
  }
  if (plan.kind === 'ignore') return `ignored-${plan.reason}`;
  invariant(plan.kind === 'apply', `row ${row.id} owes an outcome that was published`);
  const committed = await commitChange(engine, { kind: 'stored', row, content }, plan.change);
  if (committed.kind === 'lost-race') return 'lost-race';
  if (committed.kind === 'quarantined') return 'dead-row-refused';
  report(engine, { before: row, row: committed.row, content }, webhook);
  if (plan.change.wake.kind !== 'keep') await payObligation(engine, committed.row, content, row.status);
  return 'applied';
}

interface Told {
  readonly before: Notification;
  readonly row: Notification;
  readonly content: Content;
}

function report(engine: Engine, { before, row, content }: Told, webhook: ProviderWebhook): void {
  const facts = {
    notification_id: row.id,
    channel: row.channel,
    provider: webhook.provider,
    attempt: row.attempts,
    cycle: row.cycle,
    status_from: before.status,
    status_to: row.status,
    version: row.version,
    ...causeFacts(content),
  };
  if (isUnclassified(webhook))
    engine.metrics.increment('pin_unclassified_codes_total', { provider: webhook.provider });
  engine.logger.debug('webhook.accepted', { verdict: webhook.verdict, ...facts });
  if (row.cycle > before.cycle)
    engine.logger.info('notification.reopened', { error_code: row.lastError?.code, ...facts });
}

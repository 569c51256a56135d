// Webhooks that name only a provider's message meet the notification that the message belongs to. Whoever comes second finds the other:
// the settle commits the message and then looks for parked webhooks, the parking call parks and then looks for the message, and the
// sweeper joins what a crash left apart. A joined webhook becomes a record of its notification, so that it is folded in its key's order.
import type { Change } from '../domain/change.ts';
import type { NotificationState } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { ParkedWebhook, ProviderWebhook } from '../domain/provider-webhook.ts';
import type { MessageRef } from '../state/store.ts';
import { providerWebhookRecord } from '../streams/provider-webhook.ts';
import type { Engine } from './engine.ts';
import { produce } from './produce.ts';

/** Reports about one message at once; what is beyond it is the sweeper's. */
const MAX_JOINED = 100;
const PAGE_WEBHOOKS = 500;
const MAX_PAGES = 200;

/** Messages that `change` makes known and whose webhooks may come without our reference. */
export function unnamedMessages(
  { providerFacts }: Pick<Engine, 'providerFacts'>,
  before: NotificationState,
  { next }: Change,
): readonly MessageRef[] {
  if (next.evidence === before.evidence || next.evidence.length === 0) return NONE;
  const provider = next.providerKey;
  if (provider === null || providerFacts.get(provider)?.echoesReference === true) return NONE;
  const known = new Set(before.evidence.map(({ messageId }) => messageId));
  return next.evidence
    .filter(({ messageId }) => !known.has(messageId))
    .map(({ messageId }) => ({ provider, messageId }));
}

const NONE: readonly MessageRef[] = [];

/** What was parked about messages that are committed now becomes records. */
export async function joinParked(
  engine: Engine,
  id: NotificationId,
  messages: readonly MessageRef[],
): Promise<void> {
  for (const message of messages) {
    const parked = await engine.outages.riding(
      'postgres',
      () => engine.store.parkedFor(message, MAX_JOINED),
      'until-end',
    );
    await produceJoined(
      engine,
      parked.map((webhook) => ({ ...webhook, notificationId: id })),
    );
  }
}

/** The webhook is kept; nothing is lost when the process dies right after. Counted as parked. */
export async function parkWebhook(engine: Engine, webhook: ParkedWebhook): Promise<void> {
  const { parkedMs } = engine.settings.retention;
  await engine.outages.riding('postgres', () => engine.store.park(webhook, parkedMs), 'until-end');
  engine.metrics.increment('pin_webhooks_total', { provider: webhook.provider, result: 'parked' });
  engine.logger.debug('webhook.parked', {
    provider: webhook.provider,
    notification_id: webhook.notificationId ?? undefined,
  });
}

/** The sweeper's part: joins what a crash left apart, and ends what was kept long enough. */
export async function sweepParked(engine: Engine, isOver: () => boolean): Promise<number> {
  let joined = 0;
  for (let pages = 0; pages < MAX_PAGES && !isOver(); pages += 1) {
    const page = await engine.store.joinable(PAGE_WEBHOOKS);
    await produceJoined(engine, page);
    joined += page.length;
    if (page.length < PAGE_WEBHOOKS) break;
  }
  for (let pages = 0; pages < MAX_PAGES && !isOver(); pages += 1) {
    const dead = await engine.store.expireParked(PAGE_WEBHOOKS);
    for (const { provider, count } of dead)
      engine.metrics.increment('pin_webhooks_total', { provider, result: 'dead-unmatched' }, count);
    if (dead.reduce((sum, { count }) => sum + count, 0) < PAGE_WEBHOOKS) break;
  }
  return joined;
}

async function produceJoined(engine: Engine, webhooks: readonly ProviderWebhook[]): Promise<void> {
  if (webhooks.length === 0) return;
  await Promise.all(
    webhooks.map((webhook) =>
      produce(engine, providerWebhookRecord(engine.topics, engine.codec, webhook, null)),
    ),
  );
  const eventIds = webhooks.map(({ eventId }) => eventId);
  await engine.outages.riding('postgres', () => engine.store.unpark(eventIds), 'until-end');
  for (const { provider } of webhooks)
    engine.metrics.increment('pin_webhooks_total', { provider, result: 'joined' });
}

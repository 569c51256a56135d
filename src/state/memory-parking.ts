// Parked webhooks of the in-memory store: the same answers as the tables give.
import type { NotificationId } from '../domain/notification-id.ts';
import type { ProviderWebhook } from '../domain/provider-webhook.ts';
import { type MemoryDatabase, type MemoryParked, messageKey } from './memory-database.ts';
import type { StepRunner } from './memory-faults.ts';
import { UNMATCHED } from './parked-table.ts';
import type { NotificationStore } from './store.ts';

type Parking = Pick<
  NotificationStore,
  'park' | 'notificationOf' | 'parkedFor' | 'joinable' | 'unpark' | 'expireParked' | 'parkedCount'
>;

export function memoryParking(database: MemoryDatabase, step: StepRunner): Parking {
  const { parked } = database;
  return {
    park: (webhook, keepMs) =>
      step('other', [], () => {
        if (parked.has(webhook.eventId)) return;
        parked.set(webhook.eventId, { webhook, expiresAtMs: database.clock.nowMs() + keepMs });
      }),
    notificationOf: (message) =>
      step('other', [], () => database.messages.get(messageKey(message))?.id ?? null),
    parkedFor: ({ provider, messageId }, limit) =>
      step('other', [], () =>
        [...parked.values()]
          .map(({ webhook }) => webhook)
          .filter(
            (webhook) =>
              webhook.notificationId === null &&
              webhook.provider === provider &&
              webhook.providerMessageId === messageId,
          )
          .slice(0, limit),
      ),
    joinable: (limit) =>
      step('sweep', [], () => {
        const found = [...parked.values()].flatMap(({ webhook }): readonly ProviderWebhook[] => {
          const notificationId = known(database, webhook);
          return notificationId === null ? [] : [{ ...webhook, notificationId }];
        });
        return found.slice(0, limit);
      }),
    unpark: (eventIds) =>
      step('other', [], () => {
        for (const eventId of eventIds) parked.delete(eventId);
      }),
    expireParked: (limit) => step('sweep', [], () => expire(database, limit)),
    parkedCount: () => step('other', [], () => parked.size),
  };
}

function known({ rows, messages }: MemoryDatabase, webhook: MemoryParked['webhook']): NotificationId | null {
  const { notificationId, provider, providerMessageId } = webhook;
  if (notificationId !== null) return rows.has(notificationId) ? notificationId : null;
  if (providerMessageId === null) return null;
  return messages.get(messageKey({ provider, messageId: providerMessageId }))?.id ?? null;
}

function expire(database: MemoryDatabase, limit: number): Awaited<ReturnType<Parking['expireParked']>> {
  const nowMs = database.clock.nowMs();
  const old = [...database.parked.values()].filter(({ expiresAtMs }) => expiresAtMs <= nowMs).slice(0, limit);
  const counts = new Map<string, number>();
  for (const { webhook } of old) {
    const { eventId, provider, notificationId } = webhook;
    database.parked.delete(eventId);
    counts.set(provider, (counts.get(provider) ?? 0) + 1);
    database.quarantine.set(`webhook/${eventId}`, {
      reason: UNMATCHED,
      detail: 'nobody knew its message in time',
      notificationId,
      topic: null,
      partition: null,
      offset: null,
      key: null,
      value: new TextEncoder().encode(JSON.stringify(webhook)),
      atMs: nowMs,
    });
  }
  return [...counts].map(([provider, count]) => ({ provider, count }));
}

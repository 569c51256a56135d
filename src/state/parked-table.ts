// Webhooks that name nothing known, and how they are found again. Each question is one short statement.
import type { NotificationId } from '../domain/notification-id.ts';
import type { ParkedWebhook, ProviderWebhook } from '../domain/provider-webhook.ts';
import { integer, type TextCell, text } from './cells.ts';
import { NOW_SQL } from './change-columns.ts';
import { encodeArray } from './column-array.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { Statement } from './statement.ts';
import type { NotificationStore } from './store.ts';

/** Reason of a parked webhook that nobody claimed in time, in the quarantine and in its metric. */
export const UNMATCHED = 'webhook-unmatched';

type Parking = Pick<
  NotificationStore,
  'park' | 'notificationOf' | 'parkedFor' | 'joinable' | 'unpark' | 'expireParked' | 'parkedCount'
>;

export function parkedTable(pool: PostgresPool, schema: string): Parking {
  const statements = parkedStatements(schema);
  return {
    async park(webhook, keepMs) {
      const { eventId, provider, providerMessageId, notificationId } = webhook;
      const values = [eventId, provider, providerMessageId, notificationId, keepMs, JSON.stringify(webhook)];
      await pool.ask(statements.park, values);
    },
    async notificationOf({ provider, messageId }) {
      const [row] = await pool.ask(statements.notificationOf, [provider, messageId]);
      return row === undefined ? null : (text(row[0]) as NotificationId);
    },
    async parkedFor({ provider, messageId }, limit) {
      const rows = await pool.ask(statements.parkedFor, [provider, messageId, limit]);
      return rows.map(([webhook]) => parkedOf(webhook));
    },
    async joinable(limit) {
      const rows = await pool.ask(statements.joinable, [limit]);
      return rows.map(
        ([webhook, id]): ProviderWebhook => ({
          ...parkedOf(webhook),
          notificationId: text(id) as NotificationId,
        }),
      );
    },
    async unpark(eventIds) {
      if (eventIds.length > 0) await pool.ask(statements.unpark, [encodeArray('uuid', eventIds)]);
    },
    async expireParked(limit) {
      const rows = await pool.ask(statements.expire, [limit]);
      const counts = new Map<string, number>();
      for (const [provider] of rows) counts.set(text(provider), (counts.get(text(provider)) ?? 0) + 1);
      return [...counts].map(([provider, count]) => ({ provider, count }));
    },
    async parkedCount() {
      const [row] = await pool.ask(parkedCountStatement(schema), []);
      return integer(row?.[0]);
    },
  };
}

function parkedOf(webhook: TextCell): ParkedWebhook {
  return JSON.parse(text(webhook)) as ParkedWebhook;
}

export function parkedCountStatement(schema: string): Statement {
  return { name: 'pin_parked_count', text: `select count(*) from ${schema}.parked_webhooks` };
}

export function parkedStatements(schema: string) {
  const statement = (name: string, sql: string): Statement => ({ name: `pin_${name}`, text: sql });
  return {
    park: statement(
      'park',
      `insert into ${schema}.parked_webhooks
  (event_id, provider, message_id, notification_id, parked_at, expires_at, webhook)
values ($1::uuid, $2, $3, $4::uuid, ${NOW_SQL}, ${NOW_SQL} + $5::float8 * interval '1 millisecond', $6::json)
on conflict (event_id) do nothing`,
    ),
    notificationOf: statement(
      'notification_of',
      `select notification_id from ${schema}.message_refs where provider = $1 and message_id = $2`,
    ),
    parkedFor: statement(
      'parked_for',
      `select webhook from ${schema}.parked_webhooks
where provider = $1 and message_id = $2 and notification_id is null order by parked_at, event_id limit $3::int4`,
    ),
    joinable: statement(
      'joinable',
      `select p.webhook, coalesce(n.id, r.notification_id) from ${schema}.parked_webhooks as p
left join ${schema}.notifications as n on n.id = p.notification_id
left join ${schema}.message_refs as r
  on p.notification_id is null and r.provider = p.provider and r.message_id = p.message_id
where n.id is not null or r.notification_id is not null
order by p.parked_at, p.event_id limit $1::int4`,
    ),
    unpark: statement('unpark', `delete from ${schema}.parked_webhooks where event_id = any ($1::uuid[])`),
    expire: statement(
      'expire_parked',
      `with old as (
  delete from ${schema}.parked_webhooks where event_id in (
    select event_id from ${schema}.parked_webhooks where expires_at <= statement_timestamp()
    order by expires_at limit $1::int4 for update skip locked)
  returning event_id, provider, notification_id, webhook
), kept as (
  insert into ${schema}.quarantine (origin, reason, detail, notification_id, value)
  select 'webhook/' || event_id, '${UNMATCHED}', 'nobody knew its message in time', notification_id,
    convert_to(webhook::text, 'UTF8') from old
  on conflict (origin) do nothing
)
select provider from old`,
    ),
  };
}

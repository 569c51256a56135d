// The inbox on Postgres: one statement a question, each along the index of exactly what it asks for. The two indexes know only rows that
// somebody may see, so a notification without a copy never touches them.
import type { Channel } from '../domain/channel.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { NotificationRequest } from '../domain/request.ts';
import { invariant } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Value } from './asking.ts';
import { epochMs, epochMsOrNull, integer, type TextCell, text, textOrNull } from './cells.ts';
import { epochSql } from './change-columns.ts';
import { type Inbox, type InboxItem, type InboxOwner, MAX_INBOX_PAGE, MAX_UNREAD_COUNT } from './inbox.ts';
import { shownOf } from './inbox-item.ts';
import { postgresPool } from './postgres-pool.ts';
import { type PostgresSettings, quotedName } from './postgres-settings.ts';
import type { Statement } from './statement.ts';

const CONNECTIONS = 2;
/** Newer than every real one: the year 9999. */
const BEGINNING = { arrivedAtMs: 253_402_214_400_000, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** Connects when it is first used. */
export function postgresInbox(deps: { readonly logger: Logger }, settings: PostgresSettings): Inbox {
  const pool = postgresPool(deps, { ...settings, connections: CONNECTIONS });
  const schema = quotedName(settings.schema);
  return {
    async page({ owner, after, limit, unreadOnly }) {
      invariant(limit >= 1 && limit <= MAX_INBOX_PAGE, `a page of ${limit} items`);
      const { arrivedAtMs, id } = after ?? BEGINNING;
      const values = [...ownerValues(owner), limit, arrivedAtMs, id];
      return (await pool.ask(inboxPageStatement(schema, owner, unreadOnly), values)).map(itemOf);
    },
    async unread(owner) {
      const [row] = await pool.ask(unreadStatement(schema, owner), [
        ...ownerValues(owner),
        MAX_UNREAD_COUNT + 1,
      ]);
      const count = integer(row?.[0]);
      return { count: Math.min(count, MAX_UNREAD_COUNT), isMore: count > MAX_UNREAD_COUNT };
    },
    close: () => pool.close(),
  };
}

/** `is null` and `=` are two questions: one operator for both would not go by the index. */
const ownerSql = ({ tenantId }: InboxOwner) =>
  `n.in_app_user = $1 and ${tenantId === null ? 'n.tenant_id is null and $2::text is null' : 'n.tenant_id = $2'}`;
const ownerValues = ({ tenantId, userId }: InboxOwner): Value[] => [userId, tenantId];

/** The indexes' own condition, word for word. */
export const SHOWN_SQL = `n.in_app_user is not null
  and (n.in_app_status = 'arrived' or (n.channel = 'in-app' and n.status = 'Sent'))`;
const ARRIVED_SQL = 'greatest(n.created_at, n.not_before)';

const suffix = ({ tenantId }: InboxOwner) => (tenantId === null ? '_platform' : '');

export function inboxPageStatement(schema: string, owner: InboxOwner, unreadOnly: boolean): Statement {
  return {
    name: `pin_inbox${unreadOnly ? '_unread' : ''}${suffix(owner)}`,
    text: `select n.id, n.channel, n.version, ${epochSql(ARRIVED_SQL)}, ${epochSql('n.read_at')}, c.request
from (
  select * from ${schema}.notifications as n
  where ${ownerSql(owner)} and ${SHOWN_SQL}${unreadOnly ? ' and n.read_at is null' : ''}
    and (${ARRIVED_SQL}, n.id) < (to_timestamp($4::float8 / 1000)::timestamptz(3), $5::uuid)
  order by ${ARRIVED_SQL} desc, n.id desc limit $3::int4
) as n left join ${schema}.notification_contents as c on c.id = n.id
order by ${ARRIVED_SQL} desc, n.id desc`,
  };
}

export function unreadStatement(schema: string, owner: InboxOwner): Statement {
  return {
    name: `pin_unread${suffix(owner)}`,
    text: `select count(*) from (
  select from ${schema}.notifications as n
  where ${ownerSql(owner)} and ${SHOWN_SQL} and n.read_at is null limit $3::int4) as few`,
  };
}

function itemOf([id, channel, version, arrivedAt, readAt, request]: readonly TextCell[]): InboxItem {
  const json = textOrNull(request);
  return {
    id: text(id) as NotificationId,
    channel: text(channel) as Channel,
    version: integer(version),
    arrivedAtMs: epochMs(arrivedAt),
    readAtMs: epochMsOrNull(readAt),
    ...shownOf(json === null ? null : (JSON.parse(json) as NotificationRequest)),
  };
}

// Whole tables in pages by key, for audits: rows with the hash of their payload and the store's clock, and where quarantined inputs came
// from. Each page is a statement of its own, so a long audit holds no snapshot; rows may change between pages.
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { invariant } from '../runtime/fault.ts';
import { epochMs, integer, integerOrNull, type TextCell, text, textOrNull } from './cells.ts';
import { epochSql, NOW_SQL } from './change-columns.ts';
import { keyParameters } from './load-rows.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { ROW_CELLS, ROW_SQL, rowOf } from './row-reading.ts';
import type { Statement } from './statement.ts';

export interface AuditedRow {
  readonly row: Notification;
  /** False: it was purged, or a cancel keeps its place. */
  readonly hasRequest: boolean;
  /** Empty when the content was deleted by hand. */
  readonly payloadHash: string;
  /** The store's clock, epoch ms. */
  readonly readAtMs: number;
}

/** A parked webhook by its id, in pages: at most PAGE_ROWS ids above `after`, in order. */
export async function parkedPage(
  pool: PostgresPool,
  schema: string,
  after: string | null,
): Promise<readonly string[]> {
  const rows = await pool.ask(parkedPageStatement(schema), [after ?? FIRST_ID, PAGE_ROWS]);
  return rows.map(([eventId]) => text(eventId));
}

/** One of the two says what was quarantined: a row that was refused, or an input. */
export interface QuarantineOrigin {
  readonly entry: number;
  /** Set of a parked webhook that nobody claimed in time. */
  readonly webhookId: string | null;
  readonly notificationId: NotificationId | null;
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: number | null;
}

export const PAGE_ROWS = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** At most PAGE_ROWS rows with ids above `after`, in order. */
export async function rowPage(
  pool: PostgresPool,
  schema: string,
  after: NotificationId | null,
): Promise<readonly AuditedRow[]> {
  const answer = await pool.ask(rowPageStatement(schema), [after ?? FIRST_ID, PAGE_ROWS]);
  return answer.map(auditedRow);
}

/** The rows of these ids, at most PAGE_ROWS of them; those that are not there are left out. */
export async function rowsOf(
  pool: PostgresPool,
  schema: string,
  ids: readonly NotificationId[],
): Promise<readonly AuditedRow[]> {
  invariant(ids.length <= PAGE_ROWS, `rows of ${ids.length} ids in one question`);
  return (await pool.ask(rowsOfStatement(schema), keyParameters(ids))).map(auditedRow);
}

/** At most PAGE_ROWS entries with numbers above `after`, in order. */
export async function quarantinePage(
  pool: PostgresPool,
  schema: string,
  after: number,
): Promise<readonly QuarantineOrigin[]> {
  const answer = await pool.ask(quarantinePageStatement(schema), [after, PAGE_ROWS]);
  return answer.map(([entry, notificationId, topic, partition, offset, origin]) => ({
    entry: integer(entry),
    webhookId: WEBHOOK_ORIGIN.exec(textOrNull(origin) ?? '')?.[1] ?? null,
    notificationId: textOrNull(notificationId) as NotificationId | null,
    topic: textOrNull(topic),
    partition: integerOrNull(partition),
    offset: integerOrNull(offset),
  }));
}

/** How the parking names what it gave up. */
const WEBHOOK_ORIGIN = /^webhook\/(.+)$/;

function auditedRow(cells: readonly TextCell[]): AuditedRow {
  return {
    row: rowOf(cells),
    payloadHash: textOrNull(cells[ROW_CELLS]) ?? '',
    readAtMs: epochMs(cells[ROW_CELLS + 1]),
    hasRequest: text(cells[ROW_CELLS + 2]) === 't',
  };
}

function auditedRowSql(schema: string): string {
  return `select ${ROW_SQL}, c.payload_hash, ${epochSql(NOW_SQL)}, c.request is not null
from ${schema}.notifications as n left join ${schema}.notification_contents as c on c.id = n.id`;
}

function rowPageStatement(schema: string): Statement {
  const text = `${auditedRowSql(schema)} where n.id > $1::uuid order by n.id limit $2::int4`;
  return { name: 'pin_row_page', text };
}

function rowsOfStatement(schema: string): Statement {
  return { name: 'pin_rows_of', text: `${auditedRowSql(schema)} where n.id = any ($1::uuid[])` };
}

function parkedPageStatement(schema: string): Statement {
  return {
    name: 'pin_parked_page',
    text: `select event_id from ${schema}.parked_webhooks where event_id > $1::uuid order by event_id limit $2::int4`,
  };
}

function quarantinePageStatement(schema: string): Statement {
  return {
    name: 'pin_quarantine_page',
    text: `select id, notification_id, topic, partition, "offset", origin
from ${schema}.quarantine where id > $1::bigint order by id limit $2::int4`,
  };
}

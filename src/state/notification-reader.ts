// Questions that operators ask: one notification, lists, counts, the quarantine. It reads and never locks or writes.
// Its connections are its own, with the planner's defaults: a list over a large table must not take a connection from the work.
import type { Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Logger } from '../runtime/logger.ts';
import { integerOrNull, type TextCell } from './cells.ts';
import { type FailedRows, type FailureFilter, failedRows } from './failed-rows.ts';
import { keyParameters, loadedOf, loadStatement } from './load-rows.ts';
import { countNotifications, type NotificationCounts } from './notification-counts.ts';
import { listQuery, MAX_LISTED, type NotificationFilter } from './notification-list.ts';
import { postgresPool } from './postgres-pool.ts';
import { type PostgresSettings, quotedName } from './postgres-settings.ts';
import { ENTRY_SQL, entryOf, type QuarantineEntry } from './quarantine-entry.ts';
import {
  type AuditedRow,
  parkedPage,
  type QuarantineOrigin,
  quarantinePage,
  rowPage,
  rowsOf,
} from './row-pages.ts';
import { rowOf } from './row-reading.ts';
import type { Statement } from './statement.ts';
import type { Stored } from './store.ts';

export interface ListedEntry extends QuarantineEntry {
  readonly valueBytes: number | null;
}

/** All reject with Fault STATE_UNAVAILABLE (retriable) when Postgres does not answer. */
export interface NotificationReader {
  findById(id: NotificationId): Promise<Stored | null>;
  /** Newest event first. */
  list(filter: NotificationFilter): Promise<readonly Notification[]>;
  counts(): Promise<NotificationCounts>;
  /** Terminal failures that nobody acknowledged, the oldest end first, `limit` at most. */
  failed(filter: FailureFilter, limit: number): Promise<FailedRows>;
  /** Newest first, at most MAX_LISTED. */
  quarantined(limit: number): Promise<readonly ListedEntry[]>;
  /** Every row in pages by id; null begins, an empty page ends. */
  rowsAfter(id: NotificationId | null): Promise<readonly AuditedRow[]>;
  /** The rows of at most PAGE_ROWS ids, as far as they are there. */
  rowsOf(ids: readonly NotificationId[]): Promise<readonly AuditedRow[]>;
  /** Where quarantined inputs came from, in pages by entry; 0 begins, an empty page ends. */
  quarantineAfter(entry: number): Promise<readonly QuarantineOrigin[]>;
  /** Ids of parked webhooks in pages; null begins, an empty page ends. */
  parkedAfter(eventId: string | null): Promise<readonly string[]>;
  close(): Promise<void>;
}

const CONNECTIONS = 2;
const PLANNER_DEFAULTS = `set timezone = 'UTC'`;

export function notificationReader(
  deps: { readonly logger: Logger },
  settings: PostgresSettings,
): NotificationReader {
  const schema = quotedName(settings.schema);
  const pool = postgresPool(deps, {
    ...settings,
    connections: CONNECTIONS,
    sessionSettings: PLANNER_DEFAULTS,
  });
  return {
    async findById(id) {
      const { found } = loadedOf(await pool.ask(loadStatement(schema), keyParameters([id])));
      return found.get(id) ?? null;
    },
    async list(filter) {
      const { statement, values } = listQuery(schema, filter);
      return (await pool.ask(statement, values)).map(rowOf);
    },
    counts: () => countNotifications(pool, schema),
    failed: (filter, limit) => failedRows(pool, schema, filter, limit),
    async quarantined(limit) {
      const rows = await pool.ask(quarantineList(schema), [Math.min(limit, MAX_LISTED)]);
      return rows.map(listedEntry);
    },
    rowsAfter: (id) => rowPage(pool, schema, id),
    rowsOf: (ids) => rowsOf(pool, schema, ids),
    quarantineAfter: (entry) => quarantinePage(pool, schema, entry),
    parkedAfter: (eventId) => parkedPage(pool, schema, eventId),
    close: () => pool.close(),
  };
}

function quarantineList(schema: string): Statement {
  return {
    name: 'pin_quarantine_list',
    text: `select ${ENTRY_SQL}, length(value)
from ${schema}.quarantine order by id desc limit $1::int4`,
  };
}

function listedEntry(cells: readonly TextCell[]): ListedEntry {
  const [entry, [bytes]] = entryOf(cells);
  return { ...entry, valueBytes: integerOrNull(bytes) };
}

// An outbox table on Postgres. Its connections are its own; the session refuses to be filtered by row-level security that comes later.
import type { Logger } from '../runtime/logger.ts';
import { epochMsOrNull, flag, integer, type TextCell, text, textOrNull } from '../state/cells.ts';
import { encodeArray } from '../state/column-array.ts';
import { type PostgresPool, postgresPool } from '../state/postgres-pool.ts';
import { SESSION_SETTINGS } from '../state/postgres-settings.ts';
import type { FailedFilter, Outbox, Page, Place } from './outbox.ts';
import type { OutboxRow } from './outbox-row.ts';
import {
  FIRST_ID,
  layoutOf,
  type OutboxLayout,
  type OutboxStatements,
  outboxStatements,
} from './outbox-statements.ts';
import type { RelaySource } from './source.ts';
import type { SourceFacts } from './source-facts.ts';

const CONNECTIONS = 4;
/** A filter that would hide rows is an error from now on, not an empty answer. Not for a role that an open policy applies to. */
const NEVER_FILTERED = 'set row_security = off';

export interface OutboxPlace {
  readonly databaseUrl: string;
  readonly source: RelaySource;
  readonly facts: SourceFacts;
}

/** Connects when it is first used. `facts` have passed the checks (source-checks.ts). */
export function postgresOutbox(
  deps: { readonly logger: Logger },
  { databaseUrl, source, facts }: OutboxPlace,
): Outbox {
  const pool = postgresPool(deps, {
    databaseUrl,
    schema: source.schema,
    applicationName: 'pin-relay',
    connections: CONNECTIONS,
    sessionSettings: facts.isFiltered ? SESSION_SETTINGS : `${SESSION_SETTINGS}; ${NEVER_FILTERED}`,
  });
  const layout = layoutOf(source, facts);
  const statements = outboxStatements(layout);
  return {
    source,
    isOrdered: layout.columns.occurredAt !== null,
    tellsOutcomes: layout.columns.publishedAt !== null && layout.columns.failedAt !== null,
    isAnnounced: facts.hasTrigger,
    ...reading(pool, statements, layout),
    ...writing(pool, statements),
    close: () => pool.close(),
  };
}

type Reading = Pick<Outbox, 'page' | 'newest' | 'timeless' | 'rows' | 'anyRows' | 'failed' | 'counts'>;

function reading(pool: PostgresPool, statements: OutboxStatements, layout: OutboxLayout): Reading {
  return {
    async page(after, limit) {
      return pageOf(await pool.ask(statements.page, [after?.at ?? null, after?.id ?? FIRST_ID, limit]));
    },
    async newest(place, overlapMs, limit) {
      return pageOf(await pool.ask(statements.newest, [place.at, FIRST_ID, limit, overlapMs]));
    },
    async timeless(after, limit) {
      if (!layout.hasTimeless) return { rows: [], last: null };
      return pageOf(await pool.ask(statements.timeless, [null, after?.id ?? FIRST_ID, limit]));
    },
    async rows(ids) {
      return (await pool.ask(statements.rows, [encodeArray('uuid', ids)])).map(rowOf);
    },
    async anyRows(ids) {
      return (await pool.ask(statements.anyRows, [encodeArray('uuid', ids)])).map(rowOf);
    },
    async failed({ ids, reason, sinceMs, limit }: FailedFilter) {
      if (statements.failed === null) return [];
      const wanted = ids.length === 0 ? null : encodeArray('uuid', ids);
      const rows = await pool.ask(statements.failed, [wanted, reason, sinceMs, limit]);
      return rows.map(([id, why, failedAt]) => ({
        id: text(id),
        reason: why ?? '',
        failedAt: text(failedAt),
      }));
    },
    async counts() {
      const { openCount, failedCount } = statements;
      const [open, failed] = await Promise.all([
        pool.ask(openCount, []),
        failedCount === null ? [['0']] : pool.ask(failedCount, []),
      ]);
      return { open: integer(open[0]?.[0]), failed: integer(failed[0]?.[0]) };
    },
  };
}

function writing(
  pool: PostgresPool,
  statements: OutboxStatements,
): Pick<Outbox, 'stamp' | 'condemn' | 'reopen'> {
  return {
    async stamp(stamps) {
      if (statements.stamp === null || stamps.length === 0) return;
      await pool.ask(statements.stamp, [
        encodeArray(
          'uuid',
          stamps.map(({ id }) => id),
        ),
        encodeArray(
          'text',
          stamps.map(({ status }) => status),
        ),
        encodeArray(
          'text',
          stamps.map(({ reason }) => reason),
        ),
        encodeArray(
          'timestamptz',
          stamps.map(({ atMs }) => atMs),
        ),
      ]);
    },
    async condemn(rows) {
      if (statements.condemn === null || rows.length === 0) return;
      await pool.ask(statements.condemn, [
        encodeArray(
          'uuid',
          rows.map(({ id }) => id),
        ),
        encodeArray(
          'text',
          rows.map(({ reason }) => reason),
        ),
      ]);
    },
    async reopen(rows) {
      if (statements.reopen === null || rows.length === 0) return [];
      const opened = await pool.ask(statements.reopen, [
        encodeArray(
          'uuid',
          rows.map(({ id }) => id),
        ),
        encodeArray(
          'text',
          rows.map(({ failedAt }) => failedAt),
        ),
      ]);
      return opened.map(([id]) => text(id));
    },
  };
}

function pageOf(answer: readonly (readonly TextCell[])[]): Page {
  const end = answer.at(-1);
  const last: Place | null = end === undefined ? null : { id: text(end[0]), at: textOrNull(end[2]) };
  return { rows: answer.map(([id, at]) => ({ id: text(id), atMs: epochMsOrNull(at) })), last };
}

function rowOf(cells: readonly TextCell[]): OutboxRow {
  const [
    id,
    payload,
    isEmpty,
    aggregateType,
    aggregateId,
    tenantId,
    orgUnitId,
    correlationId,
    causationId,
    at,
  ] = cells;
  return {
    id: text(id),
    // An empty payload is JSON's null: it is judged, not taken for an oversized one.
    payload: flag(isEmpty) ? 'null' : textOrNull(payload),
    aggregateType: textOrNull(aggregateType),
    aggregateId: textOrNull(aggregateId),
    tenantId: textOrNull(tenantId),
    orgUnitId: textOrNull(orgUnitId),
    correlationId: textOrNull(correlationId),
    causationId: textOrNull(causationId),
    occurredAtMs: epochMsOrNull(at),
  };
}

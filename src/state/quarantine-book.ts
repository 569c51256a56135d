// The quarantine for people who put things back: whole entries with their bytes, and the note that one was replayed. Connections of its own.
import type { Logger } from '../runtime/logger.ts';
import { type TextCell, textOrNull } from './cells.ts';
import { NOW_SQL } from './change-columns.ts';
import { postgresPool } from './postgres-pool.ts';
import { type PostgresSettings, quotedName } from './postgres-settings.ts';
import { ENTRY_SQL, entryOf, type QuarantineEntry } from './quarantine-entry.ts';
import type { Statement } from './statement.ts';

export interface QuarantinedBytes extends QuarantineEntry {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly replayedBy: string | null;
}

/** All reject with Fault STATE_UNAVAILABLE (retriable) when Postgres does not answer. */
export interface QuarantineBook {
  /** Those of these numbers that are there. */
  entries(numbers: readonly number[]): Promise<readonly QuarantinedBytes[]>;
  /** Not replayed yet, oldest first, `limit` at most. */
  waiting(reason: string, limit: number): Promise<readonly QuarantinedBytes[]>;
  replayed(entry: number, by: string): Promise<void>;
  /** Its records may run again: processes learn of it when they meet the next one. */
  forgive(laneKey: string): Promise<void>;
  close(): Promise<void>;
}

const CONNECTIONS = 1;

export function quarantineBook(
  deps: { readonly logger: Logger },
  settings: PostgresSettings,
): QuarantineBook {
  const statements = bookStatements(quotedName(settings.schema));
  const pool = postgresPool(deps, { ...settings, connections: CONNECTIONS });
  return {
    async entries(numbers) {
      return (await pool.ask(statements.entries, [`{${numbers.join(',')}}`])).map(bytesEntry);
    },
    async waiting(reason, limit) {
      return (await pool.ask(statements.waiting, [reason, limit])).map(bytesEntry);
    },
    async replayed(entry, by) {
      await pool.ask(statements.replayed, [entry, by]);
    },
    async forgive(laneKey) {
      await pool.ask(statements.forgive, [laneKey]);
    },
    close: () => pool.close(),
  };
}

function bookStatements(schema: string) {
  const named = (name: string, sql: string): Statement => ({ name: `pin_quarantine_${name}`, text: sql });
  const select = `select ${ENTRY_SQL}, key, value, replayed_by from ${schema}.quarantine`;
  return {
    entries: named('entries', `${select} where id = any ($1::bigint[]) order by id`),
    waiting: named(
      'waiting',
      `${select} where reason = $1 and replayed_at is null order by id limit $2::int4`,
    ),
    replayed: named(
      'replayed',
      `update ${schema}.quarantine set replayed_at = ${NOW_SQL}, replayed_by = $2 where id = $1::bigint`,
    ),
    forgive: named(
      'forgive',
      `update ${schema}.task_lives set version = version + 1,
  deadly = (select coalesce(json_agg(lane), '[]'::json) from json_array_elements_text(deadly) as lane where lane <> $1)
where exists (select 1 from json_array_elements_text(deadly) as lane where lane = $1)`,
    ),
  };
}

function bytesEntry(cells: readonly TextCell[]): QuarantinedBytes {
  const [entry, [key, value, by]] = entryOf(cells);
  return { ...entry, key: bytesOf(key), value: bytesOf(value), replayedBy: textOrNull(by) };
}

/** Postgres writes bytes as `\x00ff`. */
function bytesOf(cell: TextCell): Uint8Array | null {
  return cell === null || cell === undefined ? null : Buffer.from(cell.slice(2), 'hex');
}

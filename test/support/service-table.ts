// The tables of one service as an outsider sees them: plain SQL on a connection of its own, in the schema of the service.
import pg from 'pg';
import { until } from './until.ts';

export interface ServiceTable {
  /** Unqualified names mean the tables of the service. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** The row of a notification by plain SQL; columns as in the table. */
  row(id: string): Promise<Record<string, unknown> | null>;
  /** @throws Fault TEST_WAITED with the row as it was last */
  rowWhere(
    id: string,
    holds: (row: Record<string, unknown>) => boolean,
    limitMs?: number,
  ): Promise<Record<string, unknown>>;
  /** Drops the schema. */
  drop(): Promise<void>;
}

export function serviceTable(databaseUrl: string, schema: string): ServiceTable {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, options: `-c search_path=${schema}` });
  // A test may take the server away: the next query says so.
  pool.on('error', () => undefined);
  const query = async (text: string, values: readonly unknown[] = []) =>
    (await pool.query<Record<string, unknown>>(text, [...values])).rows;
  const row = async (id: string) =>
    (await query('select * from notifications where id = $1', [id]))[0] ?? null;
  return {
    query,
    row,
    rowWhere(id, holds, limitMs) {
      let last: Record<string, unknown> | null = null;
      return until(
        () => `another row than ${JSON.stringify(last)}`,
        async () => {
          last = await row(id);
          return last !== null && holds(last) ? last : null;
        },
        limitMs,
      );
    },
    async drop() {
      await pool.query(`drop schema "${schema}" cascade`);
      await pool.end();
    },
  };
}

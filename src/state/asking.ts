// One way to ask Postgres: a prepared statement with its values, answered in text cells.
import type { QueryArrayConfig, QueryArrayResult } from 'pg';
import { TEXT_CELLS, type TextCell } from './cells.ts';
import type { Statement } from './statement.ts';

export type Value = Uint8Array | string | number | boolean | null;
export type Answer = readonly (readonly TextCell[])[];

/** What a client and a pool have in common. */
export interface Askable {
  query(config: QueryArrayConfig<Value[]>): Promise<QueryArrayResult<TextCell[]>>;
}

/** @throws whatever Postgres or the connection says; see postgres-failure.ts */
export async function ask(askable: Askable, statement: Statement, values: readonly Value[]): Promise<Answer> {
  const { name, text } = statement;
  const answer = await askable.query({
    name,
    text,
    values: [...values],
    rowMode: 'array',
    types: TEXT_CELLS,
  });
  return answer.rows;
}

// Commits flushes to Postgres: one transaction, its statements sent together, its end believed only when COMMIT says COMMIT.
// It never tries twice; whatever was not answered is reported as such.
import type { Notification } from '../domain/notification.ts';
import { Fault, messageOf } from '../runtime/fault.ts';
import { type Answer, ask, type Value } from './asking.ts';
import { UnstorableValue } from './column-array.ts';
import type { Flush, FlushAnswer, Flusher } from './flush.ts';
import { insertedRows, insertParameters, insertStatement } from './insert-rows.ts';
import { keyParameters, tokenedRows, tokenStatement } from './load-rows.ts';
import { markParameters, markStatement } from './mark-rows.ts';
import { refParameters, refStatement } from './message-refs.ts';
import { postgresFailure, stateFault } from './postgres-failure.ts';
import type { PostgresConnection, PostgresSession } from './postgres-session.ts';
import { quarantineStatement, refusedParameters } from './quarantine-table.ts';
import type { Statement } from './statement.ts';
import {
  replaceParameters,
  replaceStatement,
  updatedRows,
  updateParameters,
  updateStatement,
} from './update-rows.ts';

interface Step {
  readonly statement: Statement;
  readonly values: readonly Value[];
  readonly rowsOf: (answer: Answer) => readonly Notification[];
}

/** `schema` in quotes. */
export function postgresFlusher(session: PostgresSession, schema: string): Flusher {
  const stepsOf = stepMaker(schema);
  const tokens = tokenStatement(schema);
  const quarantine = quarantineStatement(schema);
  const reading = async (statement: Statement, values: readonly Value[]): Promise<Answer> => {
    try {
      const { client } = await session.connection();
      return await ask(client, statement, values);
    } catch (error) {
      session.drop();
      throw stateFault(error);
    }
  };
  return {
    async commit(flush) {
      try {
        const answer = await transact(await session.connection(), stepsOf(flush));
        // A new connection also prepares its statements anew: plans may be what was wrong.
        if (answer.kind === 'unanswered' || answer.kind === 'conflict') session.drop();
        return answer;
      } catch (error) {
        if (error instanceof UnstorableValue) return { kind: 'refused', reason: error.message };
        if (error instanceof Fault) return { kind: 'unanswered', reason: error.message };
        throw error;
      }
    },
    read: async (ids) => tokenedRows(await reading(tokens, keyParameters(ids))),
    quarantine: async (refused) => void (await reading(quarantine, refusedParameters(refused))),
    close: () => session.close(),
  };
}

function stepMaker(schema: string): (flush: Flush) => readonly Step[] {
  const insert = insertStatement(schema);
  const update = updateStatement(schema);
  const replace = replaceStatement(schema);
  const refer = refStatement(schema);
  const mark = markStatement(schema);
  return ({ inserts, writes, marks }) => {
    const steps: Step[] = [];
    if (inserts.length > 0) {
      const values = insertParameters(inserts);
      steps.push({ statement: insert, values, rowsOf: (answer) => insertedRows(inserts, answer) });
    }
    const changes = writes.filter(({ content }) => content === undefined);
    if (changes.length > 0) {
      const values = updateParameters(changes);
      steps.push({ statement: update, values, rowsOf: (answer) => updatedRows(changes, answer) });
    }
    if (changes.length < writes.length) {
      const replacing = writes.filter(({ content }) => content !== undefined);
      const values = replaceParameters(replacing);
      steps.push({ statement: replace, values, rowsOf: (answer) => updatedRows(replacing, answer) });
    }
    const named = writes.filter(({ messages }) => messages !== undefined);
    if (named.length > 0) steps.push({ statement: refer, values: refParameters(named), rowsOf: () => [] });
    if (marks.length > 0) steps.push({ statement: mark, values: markParameters(marks), rowsOf: () => [] });
    return steps;
  };
}

async function transact(connection: PostgresConnection, steps: readonly Step[]): Promise<FlushAnswer> {
  const { client } = connection;
  const [begun, ended, asked] = connection.together(() => {
    const begin = client.query('begin');
    const all = steps.map(({ statement, values }) => ask(client, statement, values));
    return [begin, client.query('commit'), all];
  });
  const [begin, commit, ...answers] = await Promise.allSettled([begun, ended, ...asked]);
  if (commit.status === 'rejected') return failureAnswer(commit.reason, false);
  const first = [begin, ...answers].find((answer) => answer.status === 'rejected');
  if (commit.value.command !== 'COMMIT') return failureAnswer(first?.reason, true);
  // A COMMIT beside something that failed had no BEGIN (it was cancelled): each statement stood alone, and some of them may hold.
  if (first !== undefined)
    return { kind: 'unanswered', reason: `no transaction: ${messageOf(first.reason)}` };
  const rows = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? (steps[index]?.rowsOf(answer.value) ?? []) : [],
  );
  return { kind: 'committed', rows: new Map(rows.map((row) => [row.id, row])) };
}

/** COMMIT of a transaction that failed answers ROLLBACK, without an error of its own. */
function failureAnswer(error: unknown, isRolledBack: boolean): FlushAnswer {
  const failure = postgresFailure(error);
  if (failure.kind === 'refused' || failure.kind === 'conflict') return failure;
  if (failure.kind === 'unfit' && isRolledBack) return { kind: 'conflict', reason: failure.reason };
  return { kind: 'unanswered', reason: failure.reason };
}

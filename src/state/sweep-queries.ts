// The sweeper's questions: who is overdue, who is held. Each is one short statement; locks last no longer than it.
import { holdReasonOf, pauseOfHold } from '../domain/hold.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { invariant } from '../runtime/fault.ts';
import { epochMs, epochMsOrNull, flag, integer, text } from './cells.ts';
import { epochSql, NOW_SQL } from './change-columns.ts';
import { encodeArray } from './column-array.ts';
import { heldCountStatement, heldCountsOf } from './notification-counts.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { Statement } from './statement.ts';
import { MAX_LOAD_KEYS, type NotificationStore } from './store.ts';

type Sweeps = Pick<
  NotificationStore,
  'overdue' | 'held' | 'heldCounts' | 'wakeEnteredLog' | 'lastSweepMs' | 'sweepFinished'
>;

/**
 * Up to so many overdue rows, a page is made from the index on wake_at: all of them, sorted by id. Beyond it, sorting them for each page
 * costs more than walking the primary key, in which every few rows one is overdue.
 */
const FEW_OVERDUE = 20_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export function sweepQueries(pool: PostgresPool, schema: string): Sweeps {
  const statements = sweepStatements(schema);
  let page = statements.overdueFew;
  return {
    async overdue({ after, limit, aheadMs }) {
      invariant(limit <= MAX_LOAD_KEYS, `a page of ${limit} rows`);
      const [head] = await pool.ask(statements.overdueCount, [aheadMs, FEW_OVERDUE + 1]);
      if (after === null)
        page = integer(head?.[0]) > FEW_OVERDUE ? statements.overdueMany : statements.overdueFew;
      const rows = await pool.ask(page, [after ?? FIRST_ID, limit, aheadMs]);
      return {
        nowMs: epochMs(head?.[1]),
        rows: rows.map(([id, wakeAt, wakeSeq, wakeInLog]) => ({
          id: text(id) as NotificationId,
          wakeAtMs: epochMs(wakeAt),
          wakeSeq: integer(wakeSeq),
          wakeInLog: flag(wakeInLog),
        })),
      };
    },
    async held({ channel, hold, after, limit }) {
      invariant(limit <= MAX_LOAD_KEYS, `a page of ${limit} rows`);
      const [reason, pause] = [holdReasonOf(hold), pauseOfHold(hold)];
      const from = [after ?? FIRST_ID, limit];
      const rows =
        pause === null
          ? await pool.ask(statements.held, [channel, reason, ...from])
          : await pool.ask(statements.paused, [channel, reason, ...from, pause]);
      return rows.map(([id, wakeSeq]) => ({
        id: text(id) as NotificationId,
        channel,
        hold,
        wakeSeq: integer(wakeSeq),
      }));
    },
    async heldCounts() {
      return heldCountsOf(await pool.ask(heldCountStatement(schema), []));
    },
    async wakeEnteredLog(rows) {
      if (rows.length === 0) return;
      const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
      await pool.ask(statements.wakeEnteredLog, [
        encodeArray(
          'uuid',
          sorted.map(({ id }) => id),
        ),
        encodeArray(
          'int4',
          sorted.map(({ wakeSeq }) => wakeSeq),
        ),
      ]);
    },
    async lastSweepMs() {
      const [row] = await pool.ask(statements.lastSweep, []);
      return epochMsOrNull(row?.[0]);
    },
    async sweepFinished(startedAtMs) {
      await pool.ask(statements.sweepFinished, [startedAtMs]);
    },
  };
}

/** `$1` after, `$2` limit, `$3` ahead in milliseconds. Rows that somebody is writing right now are skipped: they are not forgotten. */
export function sweepStatements(schema: string) {
  const due = (aheadParameter: string) =>
    `wake_at <= statement_timestamp() + ${aheadParameter}::float8 * interval '1 millisecond'`;
  // Ahead of its time only what rests here: a lease that still runs and an outcome that is being published are nobody's to wake.
  const isWanted = `(n.wake_at <= statement_timestamp()
    or (not n.wake_in_log and n.claim_token is null and n.final is null))`;
  const columns = `n.id, ${epochSql('n.wake_at')}, n.wake_seq, n.wake_in_log`;
  const held = (pause: string) => `select id, wake_seq from ${schema}.notifications
where channel = $1 and hold_reason = $2 and hold_reason is not null and ${pause} and id > $3::uuid
order by channel, hold_reason, hold_pause, id limit $4::int4`;
  const statement = (name: string, sql: string): Statement => ({ name: `pin_${name}`, text: sql });
  return {
    overdueCount: statement(
      'overdue_count',
      `select count(*), ${epochSql(NOW_SQL)} from (
  select from ${schema}.notifications where ${due('$1')} limit $2::int4) as few`,
    ),
    overdueFew: statement(
      'overdue_few',
      `with due as materialized (select id from ${schema}.notifications where ${due('$3')})
select ${columns} from due join ${schema}.notifications as n on n.id = due.id
where due.id > $1::uuid and n.${due('$3')} and ${isWanted}
order by due.id limit $2::int4 for update of n skip locked`,
    ),
    overdueMany: statement(
      'overdue_many',
      `select ${columns} from ${schema}.notifications as n
where n.id > $1::uuid and n.${due('$3')} and ${isWanted}
order by n.id limit $2::int4 for update of n skip locked`,
    ),
    held: statement('held', held('hold_pause is null')),
    paused: statement('paused', held('hold_pause = $5')),
    wakeEnteredLog: statement(
      'wake_entered_log',
      `update ${schema}.notifications as n set wake_in_log = true
from unnest($1::uuid[], $2::int4[]) as e (id, wake_seq)
where n.id = e.id and n.wake_seq = e.wake_seq and n.wake_at is not null and not n.wake_in_log`,
    ),
    lastSweep: statement('last_sweep', `select ${epochSql('started_at')} from ${schema}.sweeps`),
    sweepFinished: statement(
      'sweep_finished',
      `insert into ${schema}.sweeps (started_at, finished_at)
values (to_timestamp($1::float8 / 1000), ${NOW_SQL})
on conflict (only_one) do update set started_at = excluded.started_at, finished_at = excluded.finished_at`,
    ),
  };
}

// What operators say and every process follows: pauses, and the last word about each provider's gate; and what processes say of the gates as
// they see them. A handful of rows, read as a whole.
import type { OperatorGate } from '../domain/operator-gate.ts';
import type { Pause, PauseKey } from '../domain/pause.ts';
import { epochMs, epochMsOrNull, integer, type TextCell, text, textOrNull } from './cells.ts';
import { epochSql, NOW_SQL } from './change-columns.ts';
import { encodeArray } from './column-array.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { Statement } from './statement.ts';
import { type NotificationStore, SEEN_GATE_LIFE_MS, type SeenGate } from './store.ts';

type ControlTable = Pick<
  NotificationStore,
  'pauses' | 'savePause' | 'endPause' | 'gates' | 'saveGate' | 'sayGates' | 'seenGates'
>;

export function controlTable(pool: PostgresPool, schema: string): ControlTable {
  const statements = controlStatements(schema);
  return {
    async pauses() {
      return (await pool.ask(statements.pauses, [])).map(pauseOf);
    },
    async savePause({ key, reason, by }) {
      await pool.ask(statements.savePause, [key, reason, by]);
    },
    endPause: async (key) => (await pool.ask(statements.endPause, [key])).length > 0,
    async gates() {
      return (await pool.ask(statements.gates, [])).map(gateOf);
    },
    async saveGate({ providerKey, state, forMs, reason, by }) {
      await pool.ask(statements.saveGate, [providerKey, state, forMs, reason, by]);
    },
    async sayGates(processId, gates) {
      await pool.ask(statements.sayGates, [processId, ...seenColumns(gates), SEEN_GATE_LIFE_MS]);
    },
    async seenGates() {
      return (await pool.ask(statements.seenGates, [SEEN_GATE_LIFE_MS])).map(seenOf);
    },
  };
}

function controlStatements(schema: string) {
  const statement = (name: string, sql: string): Statement => ({ name: `pin_${name}`, text: sql });
  const isAlive = (parameter: string) =>
    `seen_at > statement_timestamp() - ${parameter}::float8 * interval '1 millisecond'`;
  return {
    pauses: statement(
      'pauses',
      `select key, reason, paused_by, ${epochSql('paused_at')} from ${schema}.pauses order by key`,
    ),
    // Who pauses again gives a new reason; since when it is paused stays.
    savePause: statement(
      'save_pause',
      `insert into ${schema}.pauses (key, reason, paused_by, paused_at) values ($1, $2, $3, ${NOW_SQL})
on conflict (key) do update set reason = excluded.reason, paused_by = excluded.paused_by`,
    ),
    endPause: statement('end_pause', `delete from ${schema}.pauses where key = $1 returning key`),
    gates: statement(
      'gates',
      `select provider, state, ${epochSql('closed_until')}, reason, changed_by, ${epochSql('changed_at')}, change
from ${schema}.gates order by provider`,
    ),
    saveGate: statement(
      'save_gate',
      `insert into ${schema}.gates (provider, state, closed_until, reason, changed_by, changed_at, change)
values ($1, $2, ${NOW_SQL} + $3::float8 * interval '1 millisecond', $4, $5, ${NOW_SQL}, 1)
on conflict (provider) do update set state = excluded.state, closed_until = excluded.closed_until,
  reason = excluded.reason, changed_by = excluded.changed_by, changed_at = excluded.changed_at,
  change = ${schema}.gates.change + 1`,
    ),
    sayGates: statement(
      'say_gates',
      `with gone as (delete from ${schema}.seen_gates where not ${isAlive('$6')})
insert into ${schema}.seen_gates (process_id, provider, state, until, why, seen_at)
select $1, provider, state, until, why, ${NOW_SQL}
from unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[]) as s (provider, state, until, why)
on conflict (process_id, provider) do update set state = excluded.state, until = excluded.until, why = excluded.why,
  seen_at = excluded.seen_at`,
    ),
    seenGates: statement(
      'seen_gates',
      `select process_id, provider, state, ${epochSql('until')}, why, ${epochSql('seen_at')}
from ${schema}.seen_gates where ${isAlive('$1')} order by provider, process_id`,
    ),
  };
}

function seenColumns(gates: Parameters<NotificationStore['sayGates']>[1]): readonly Buffer[] {
  return [
    encodeArray(
      'text',
      gates.map(({ providerKey }) => providerKey),
    ),
    encodeArray(
      'text',
      gates.map(({ state }) => state),
    ),
    encodeArray(
      'timestamptz',
      gates.map(({ untilMs }) => untilMs),
    ),
    encodeArray(
      'text',
      gates.map(({ why }) => why),
    ),
  ];
}

function pauseOf([key, reason, by, at]: readonly TextCell[]): Pause {
  return { key: text(key) as PauseKey, reason: text(reason), by: text(by), sinceMs: epochMs(at) };
}

function gateOf([provider, state, until, reason, by, at, change]: readonly TextCell[]): OperatorGate {
  return {
    providerKey: text(provider),
    state: text(state) as OperatorGate['state'],
    untilMs: epochMsOrNull(until),
    reason: text(reason),
    by: text(by),
    changedAtMs: epochMs(at),
    change: integer(change),
  };
}

function seenOf([processId, provider, state, until, why, seenAt]: readonly TextCell[]): SeenGate {
  return {
    processId: text(processId),
    providerKey: text(provider),
    state: text(state),
    untilMs: epochMsOrNull(until),
    why: textOrNull(why),
    seenAtMs: epochMs(seenAt),
  };
}

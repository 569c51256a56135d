// How many notifications are in the states that operators watch; for gauges. Each count reads an index made for it, never the table.
import { type Channel, NO_CHANNEL } from '../domain/channel.ts';
import { type Hold, type HoldReason, holdOf } from '../domain/hold.ts';
import { integer, type TextCell, text, textOrNull } from './cells.ts';
import { parkedCountStatement } from './parked-table.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { Statement } from './statement.ts';

export interface NotificationCounts {
  readonly held: readonly { readonly channel: Channel; readonly hold: Hold; readonly count: number }[];
  /** Failed and not final: waiting for another attempt, or held. */
  readonly failedBacklog: readonly { readonly channel: Channel; readonly count: number }[];
  /** Terminal failures that nobody closed or redrove, by their error; those that a person asked for too. */
  readonly openFailures: readonly {
    readonly channel: Channel;
    readonly code: string;
    readonly count: number;
  }[];
  /** Webhooks that wait for their notification to be known. */
  readonly parkedWebhooks: number;
  /** Rows whose `wake_at` has passed. */
  readonly overdue: number;
  /** Final outcomes that the log has not acknowledged, and how long the oldest has waited. */
  readonly unpublished: number;
  readonly unpublishedOldestSeconds: number;
}

/** An outcome that is owed has a `wake_at` at most this far ahead, so only the near end of the index is read. */
const OWED_AHEAD_MINUTES = 10;

export async function countNotifications(pool: PostgresPool, schema: string): Promise<NotificationCounts> {
  const [held, failed, open, owed, parked] = await Promise.all([
    pool.ask(heldCountStatement(schema), []),
    pool.ask(failedBacklogStatement(schema), []),
    pool.ask(openFailuresStatement(schema), []),
    pool.ask(owedStatement(schema), []),
    pool.ask(parkedCountStatement(schema), []),
  ]);
  const [overdue, unpublished, oldest] = owed[0] ?? [];
  return {
    held: heldCountsOf(held),
    failedBacklog: failed.map(([channel, count]) => ({
      channel: text(channel) as Channel,
      count: integer(count),
    })),
    openFailures: open.map(([channel, code, count]) => ({
      channel: text(channel) as Channel,
      code: code ?? 'none',
      count: integer(count),
    })),
    parkedWebhooks: integer(parked[0]?.[0]),
    overdue: integer(overdue),
    unpublished: integer(unpublished),
    unpublishedOldestSeconds: Number(oldest ?? 0),
  };
}

export function heldCountStatement(schema: string): Statement {
  return {
    name: 'pin_held_counts',
    text: `select channel, hold_reason, hold_pause, count(*) from ${schema}.notifications
where hold_reason is not null group by channel, hold_reason, hold_pause`,
  };
}

export function heldCountsOf(rows: readonly (readonly TextCell[])[]): NotificationCounts['held'] {
  return rows.map(([channel, reason, pause, count]) => ({
    channel: text(channel) as Channel,
    hold: holdOf(text(reason) as HoldReason, textOrNull(pause)),
    count: integer(count),
  }));
}

function failedBacklogStatement(schema: string): Statement {
  return {
    name: 'pin_failed_backlog',
    text: `select channel, count(*) from ${schema}.notifications
where status = 'Failed' and final is null group by channel`,
  };
}

/** A row that only keeps the place of a cancelled request never was a notification. */
function openFailuresStatement(schema: string): Statement {
  return {
    name: 'pin_open_failures',
    text: `select channel, error_code, count(*) from ${schema}.notifications
where status = 'Failed' and final is not null and closed_at is null and channel <> '${NO_CHANNEL}'
group by channel, error_code`,
  };
}

function owedStatement(schema: string): Statement {
  return {
    name: 'pin_owed_counts',
    text: `select count(*) filter (where wake_at <= statement_timestamp()),
  count(*) filter (where published_seq < outcome_seq),
  date_part('epoch', statement_timestamp() - min(outcome_at) filter (where published_seq < outcome_seq))
from ${schema}.notifications
where wake_at <= statement_timestamp() + interval '${OWED_AHEAD_MINUTES} minutes'`,
  };
}

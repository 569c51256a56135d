// How far a plan is, told by the rows alone: what was redriven, what moved on meanwhile, and how those that were redriven are doing.
import type { Notification } from '../domain/notification.ts';
import type { PlannedRedrive } from './redrive-plan.ts';

/** One planned notification against its row. */
export type Standing =
  /** As it was planned: to be redriven. */
  | 'open'
  /** This plan's command was answered, and it runs or ended. */
  | 'running'
  | 'sent'
  /** Ended in Failed again, or waits after an attempt that failed. */
  | 'failed'
  /** This plan's command was answered with a refusal. */
  | 'refused'
  /** Something else happened to it since the plan was made. */
  | 'moved-on'
  | 'gone';

export function standingOf(planned: PlannedRedrive, row: Notification | null, commandId: string): Standing {
  if (row === null) return 'gone';
  if (row.commandIds.includes(commandId)) return outcomeOf(planned, row);
  const isAsPlanned = row.cycle === planned.expectedCycle && row.outcomeSeq === planned.lastOutcome.seq;
  const isOpenFailure = row.final !== null && row.status === 'Failed' && row.closedAtMs === null;
  return isAsPlanned && isOpenFailure ? 'open' : 'moved-on';
}

function outcomeOf({ expectedCycle }: PlannedRedrive, row: Notification): Standing {
  if (row.cycle === expectedCycle) return 'refused';
  if (row.status === 'Sent') return 'sent';
  const hasFailed = row.final !== null || (row.attempts > 0 && row.claim === null && row.hold === null);
  return row.status === 'Failed' && hasFailed ? 'failed' : 'running';
}

/** The newest so many that came to something are judged, and no fewer than so many. */
const JUDGED_AT_MOST = 50;
const JUDGED_AT_LEAST = 10;

/** Share of failures among the newest, in the order they were sent; null: too few came to something. */
export function failureShare(standings: readonly Standing[]): number | null {
  const judged = standings.filter((one) => one === 'sent' || one === 'failed').slice(-JUDGED_AT_MOST);
  if (judged.length < JUDGED_AT_LEAST) return null;
  return judged.filter((one) => one === 'failed').length / judged.length;
}

export function countStandings(standings: Iterable<Standing>): Readonly<Record<Standing, number>> {
  const counts = { open: 0, running: 0, sent: 0, failed: 0, refused: 0, 'moved-on': 0, gone: 0 };
  for (const one of standings) counts[one] += 1;
  return counts;
}

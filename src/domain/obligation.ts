// What a committed row owes the log right now. Whoever committed the row pays it; the sweeper finds what was not paid.
import type { Notification } from './notification.ts';

export type Obligation =
  | { readonly kind: 'outcome' }
  | { readonly kind: 'wake-up'; readonly dueAtMs: number; readonly wakeSeq: number }
  | { readonly kind: 'nothing' };

export function owesOutcome(row: Pick<Notification, 'publishedSeq' | 'outcomeSeq'>): boolean {
  return row.publishedSeq < row.outcomeSeq;
}

export function obligationOf(row: Notification): Obligation {
  if (owesOutcome(row)) return { kind: 'outcome' };
  if (row.wakeAtMs !== null && row.wakeInLog)
    return { kind: 'wake-up', dueAtMs: row.wakeAtMs, wakeSeq: row.wakeSeq };
  return { kind: 'nothing' };
}

// What the demo shows of a row while it runs: one line per notification, with what comes next and when. Pure.
import type { Notification } from '../../domain/notification.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import type { DemoCase } from './demo-requests.ts';

export interface DemoItem {
  readonly id: NotificationId;
  readonly demo: DemoCase;
}

export type DemoLine = readonly [
  id: string,
  channel: string,
  what: string,
  status: string,
  attempts: string,
  next: string,
];

export const DEMO_HEAD: DemoLine = ['id', 'channel', 'the vendor', 'status', 'attempts', 'what comes next'];

export function demoLine(item: DemoItem, row: Notification | null, nowMs: number): DemoLine {
  const start = [item.id.slice(0, 8), item.demo.channel, item.demo.what] as const;
  if (row === null) return [...start, '…', '0', 'in the log'];
  return [...start, row.status, String(row.attempts), whatNext(row, nowMs)];
}

function whatNext(row: Notification, nowMs: number): string {
  if (row.final !== null) return `final: ${row.outcome?.error?.code ?? row.final}`;
  if (row.hold !== null) return `held: ${row.hold}`;
  if (row.claim !== null) return `attempt ${row.claim.attempt} is at the provider`;
  if (row.wakeAtMs === null) return 'nothing is due';
  const leftS = Math.max(0, (row.wakeAtMs - nowMs) / 1_000).toFixed(1);
  return `attempt ${row.attempts + 1} in ${leftS} s (${row.lastError?.code ?? 'waiting'})`;
}

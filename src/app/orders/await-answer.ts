// Waits, for a bounded time, until the rows say what became of commands that the log has.
import type { Notification } from '../../domain/notification.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import { pause } from '../../runtime/timers.ts';
import type { NotificationReader } from '../../state/notification-reader.ts';
import { PAGE_ROWS } from '../../state/row-pages.ts';
import type { Environment } from '../environment.ts';

const LOOK_EVERY_MS = 200;

/**
 * Calls `onAnswer` once for each id whose row passes `isAnswered`; what is left when the time is over is returned.
 * @throws Fault STATE_UNAVAILABLE
 */
export async function awaitAnswers(
  { clock, timers, signal }: Environment,
  reader: Pick<NotificationReader, 'rowsOf'>,
  ids: readonly NotificationId[],
  waiting: {
    readonly limitMs: number;
    readonly isAnswered: (row: Notification) => boolean;
    readonly onAnswer: (row: Notification) => void;
  },
): Promise<readonly NotificationId[]> {
  const open = new Set(ids);
  const untilMs = clock.monotonicMs() + waiting.limitMs;
  while (open.size > 0) {
    for (const { row } of await reader.rowsOf([...open].slice(0, PAGE_ROWS))) {
      if (!waiting.isAnswered(row)) continue;
      open.delete(row.id);
      waiting.onAnswer(row);
    }
    if (open.size === 0 || clock.monotonicMs() >= untilMs || signal.aborted) break;
    await pause(timers, LOOK_EVERY_MS, signal);
  }
  return [...open];
}

// Requests at a steady pace, whether or not anybody answers: a load that waits for the system would hide its silences.
import type { NotificationId } from '../../src/domain/notification-id.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { pause, systemTimers } from '../../src/runtime/timers.ts';
import { freshRequest } from '../support/fresh-request.ts';
import type { RealWorld } from '../support/real-service.ts';
import type { Teller } from './teller.ts';

export interface Load {
  /** When each request was handed to the producer, epoch ms. */
  readonly sentAtMs: ReadonlyMap<NotificationId, number>;
  /** Ends the load and resolves when every request is acknowledged. @throws what a send threw */
  end(): Promise<void>;
}

const TICK_MS = 50;

export function startLoad(
  world: Pick<RealWorld, 'send'>,
  teller: Pick<Teller, 'announce'>,
  perSecond: number,
): Load {
  const sentAtMs = new Map<NotificationId, number>();
  const open = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let isEnded = false;
  const sendOne = () => {
    const request = freshRequest();
    sentAtMs.set(request.notificationId, systemClock.nowMs());
    const sending = teller
      .announce(request.notificationId, request.tenantId)
      .then(() => world.send(request))
      .catch((error: unknown) => void failures.push(error))
      .finally(() => open.delete(sending));
    open.add(sending);
  };
  const run = async () => {
    const beganMs = systemClock.monotonicMs();
    while (!isEnded) {
      const due = Math.floor(((systemClock.monotonicMs() - beganMs) / 1_000) * perSecond);
      while (sentAtMs.size < due) sendOne();
      await pause(systemTimers, TICK_MS);
    }
  };
  const running = run();
  return {
    sentAtMs,
    async end() {
      isEnded = true;
      await running;
      await Promise.all(open);
      if (failures.length > 0) throw failures[0];
    },
  };
}

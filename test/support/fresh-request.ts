// A request with an id that no other test has, for the suites that share real servers.
import { randomUUID } from 'node:crypto';
import { parseNotificationId } from '../../src/domain/notification-id.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { invariant } from '../../src/runtime/fault.ts';
import { aRequest } from './a-notification.ts';

export function freshRequest(over: Partial<NotificationRequest> = {}): NotificationRequest {
  const notificationId = parseNotificationId(randomUUID());
  invariant(notificationId !== null, 'a fresh uuid is an id');
  return aRequest({ notificationId, requestedAtMs: systemClock.nowMs(), ...over });
}

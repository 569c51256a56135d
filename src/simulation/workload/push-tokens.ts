// The tokens that requests on channel push are for: registered before anything else happens, and one of them a second time, when its device
// came back. No die decides it, so it costs a tape nothing.
import type { NotificationRequest } from '../../domain/request.ts';
import { pushTokenKey } from '../../state/memory-push-tokens.ts';
import type { RegisteredToken } from '../../state/push-tokens.ts';
import type { Stage } from '../stage.ts';
import { PROVIDER_OF } from './channels.ts';

const LONG_BEFORE_MS = 3_600_000;
const RETURNS_AFTER_MS = 9_000;

export function registerToken(stage: Stage, request: NotificationRequest, isReturning: boolean): void {
  const { time, tell } = stage.world;
  put(stage, request, time.nowMs() - LONG_BEFORE_MS);
  if (!isReturning) return;
  time.plan(RETURNS_AFTER_MS, () => {
    tell('device', () => `of ${request.notificationId.slice(-2)} registers again`);
    put(stage, request, time.nowMs());
  });
}

function put({ database, registrations }: Stage, request: NotificationRequest, registeredAtMs: number): void {
  const { recipient: token, tenantId, notificationId } = request;
  const entry: RegisteredToken = {
    tenantId,
    userId: `user of ${notificationId}`,
    providerKey: PROVIDER_OF.push,
    token,
    registeredAtMs,
  };
  registrations.set(notificationId, registeredAtMs);
  database.pushTokens.set(pushTokenKey(entry), entry);
}

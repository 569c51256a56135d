// The consequence of an outcome that says "this token is nobody's": the token is forgotten. It is done before the outcome is published, and
// an outcome is published until it is acknowledged, so it happens for certain; doing it again removes nothing that came since.
import type { Notification } from '../domain/notification.ts';
import { invalidTokenOf } from '../domain/push-token.ts';
import type { Content } from '../domain/request.ts';
import type { Engine } from './engine.ts';

export async function forgetInvalidToken(
  engine: Engine,
  row: Notification,
  { request }: Content,
): Promise<void> {
  const invalid = invalidTokenOf(row);
  if (invalid === null) return;
  const token = { ...invalid, token: request.recipient };
  const isGone = await engine.outages.riding(
    'postgres',
    () => engine.store.removePushToken(token),
    'until-end',
  );
  if (!isGone) return;
  engine.metrics.increment('pin_push_tokens_removed_total', { provider: invalid.providerKey });
  engine.logger.debug('push-token.removed', { notification_id: row.id, provider: invalid.providerKey });
}

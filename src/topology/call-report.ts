// What one answered call looks like to ops: counters and a line, never an address and never a provider's free text.
import type { CallOutcome } from '../domain/call-outcome.ts';
import type { Claim, Notification } from '../domain/notification.ts';
import type { Content } from '../domain/request.ts';
import { causeFacts } from './cause-facts.ts';
import type { Engine } from './engine.ts';

export function reportAnswer(
  engine: Engine,
  { row, content }: { readonly row: Notification; readonly content: Content },
  claim: Claim,
  outcome: CallOutcome,
): void {
  const { channel } = row;
  const result =
    outcome.kind === 'refused' && outcome.code === 'NTF_PROVIDER_BLOCKED' ? 'blocked' : outcome.kind;
  engine.metrics.increment('pin_delivery_attempts_total', { channel, provider: claim.providerKey, result });
  if (outcome.kind === 'transient' && outcome.isUnclassified === true)
    engine.metrics.increment('pin_unclassified_codes_total', { provider: claim.providerKey });
  if (outcome.kind === 'accepted' && claim.attempt > 1)
    engine.metrics.increment('pin_retry_sent_total', { channel });
  engine.logger.debug('notification.attempted', {
    notification_id: row.id,
    channel,
    provider: claim.providerKey,
    attempt: claim.attempt,
    cycle: row.cycle,
    result,
    version: row.version,
    ...causeFacts(content),
  });
}

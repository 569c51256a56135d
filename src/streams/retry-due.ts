// retry.<tier>: wake-ups. A wake-up decides nothing; the row does.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { invariant } from '../runtime/fault.ts';
import type { Codec } from './codec.ts';
import type { DecodeAnswer } from './decode-answer.ts';
import type { RetryTier } from './topics.ts';

export interface WakeUp {
  readonly notificationId: NotificationId;
  readonly dueAtMs: number;
  readonly wakeSeq: number;
}

export interface RetryDueInput extends WakeUp {
  /** Name of the tier that it was produced to. */
  readonly tier: string;
}

/** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function decodeRetryDue(
  _codec: Codec,
  _record: LogRecord,
): Promise<DecodeAnswer<RetryDueInput>> {
  await Promise.resolve();
  invariant(false, 'decodeRetryDue is not written yet');
}

/** Made from the wake-up alone, so that whoever repeats it (a task, the sweeper) produces equal bytes. */
export function retryDueRecord(_codec: Codec, _tier: RetryTier, _wakeUp: WakeUp): OutgoingRecord {
  invariant(false, 'retryDueRecord is not written yet');
}

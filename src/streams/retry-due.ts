// retry.<tier>: wake-ups. A wake-up decides nothing; the row does.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { uuidOfName } from '../runtime/ids.ts';
import { cloudEventHeaders } from './cloud-event.ts';
import type { Codec } from './codec.ts';
import { type DecodeAnswer, invalidField } from './decode-answer.ts';
import { idProblem, timeProblem } from './field-rules.ts';
import { decodeKeyed } from './keyed-value.ts';
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
export async function decodeRetryDue(codec: Codec, record: LogRecord): Promise<DecodeAnswer<RetryDueInput>> {
  const answer = await decodeKeyed(codec, 'retry-due', record);
  if (answer.kind !== 'decoded') return answer;
  const { id, value } = answer.value;
  const problem =
    timeProblem('dueAt', value.dueAt) ??
    idProblem('tier', value.tier) ??
    (value.wakeSeq < 0 ? invalidField('wakeSeq', 'is below 0') : null);
  if (problem !== null) return problem;
  const { dueAt: dueAtMs, wakeSeq, tier } = value;
  return { kind: 'decoded', value: { notificationId: id, dueAtMs, wakeSeq, tier } };
}

/**
 * Made from the wake-up and its tier alone, so that whoever repeats it (a task, the sweeper) produces equal bytes.
 * `ce_time` is the due time: the record has no other that every repeat would know.
 */
export function retryDueRecord(codec: Codec, tier: RetryTier, wakeUp: WakeUp): OutgoingRecord {
  const { notificationId, dueAtMs, wakeSeq } = wakeUp;
  return {
    topic: tier.topic,
    partition: null,
    key: Buffer.from(notificationId),
    value: codec.encode(tier.topic, { notificationId, dueAt: dueAtMs, wakeSeq, tier: tier.name }),
    headers: cloudEventHeaders({
      type: 'RetryDue',
      id: uuidOfName(notificationId, `${tier.topic}/${wakeSeq}`),
      timeMs: dueAtMs,
      subject: notificationId,
      tenantId: null,
      correlationId: null,
      causationId: null,
      traceparent: null,
    }),
  };
}

// A team's delivery as a provider: its answer becomes an outcome, its deadline is kept for it, and what it throws or does not say in time
// is `unknown`, never a failure. It logs ids and codes, never an address or a body.
import type { CallOutcome, Capability, ProviderFacts } from '../../domain/call-outcome.ts';
import { causedBy } from '../../runtime/cause.ts';
import { messageOf } from '../../runtime/fault.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Timers } from '../../runtime/timers.ts';
import type { Provider, ProviderCall, SendAnswer } from '../provider.ts';
import type { DeliveryAnswer, NotificationDelivery, PendingNotification } from './notification-delivery.ts';

export interface DeliveryProviderSettings {
  readonly providerKey: string;
  /** `key`: the delivery answers a repeat of the same id as the first time. `none`: it cannot tell. */
  readonly capability: Extract<Capability, 'key' | 'none'>;
  /** How long it remembers an id; null = for ever. */
  readonly windowMs: number | null;
  readonly deadlineMs: number;
  readonly maxConcurrency: number;
  readonly ratePerSecond: number | null;
}

export function deliveryProvider(
  deps: { readonly timers: Timers; readonly logger: Logger },
  settings: DeliveryProviderSettings,
  delivery: NotificationDelivery,
): Provider {
  const facts: ProviderFacts = { ...settings, visibilityDelayMs: 0, isStub: false };
  return {
    facts,
    async send(call, mayStart): Promise<SendAnswer> {
      if (!mayStart()) return { kind: 'not-started' };
      const answer = await answerInTime(deps.timers, facts.deadlineMs, delivery, pendingOf(call));
      if (answer.kind === 'answered') return outcomeOf(answer.answer, call);
      const providerCode = answer.kind === 'late' ? 'deadline' : 'delivery_threw';
      deps.logger.warn('delivery.unknown', {
        provider: facts.providerKey,
        notification_id: call.reference,
        attempt: call.attempt,
        error_code: providerCode,
        detail: answer.kind === 'late' ? null : messageOf(answer.error),
      });
      return { kind: 'unknown', phase: 'sent', providerCode };
    },
    lookUp: () => Promise.resolve({ kind: 'unavailable', providerCode: null }),
    close: () => Promise.resolve(),
  };
}

type InTime =
  | { readonly kind: 'answered'; readonly answer: DeliveryAnswer }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'late' };

function answerInTime(
  timers: Timers,
  deadlineMs: number,
  delivery: NotificationDelivery,
  pending: PendingNotification,
): Promise<InTime> {
  const deadline = new AbortController();
  const cause = { correlationId: pending.correlationId, causationId: pending.id };
  return new Promise((resolve) => {
    const cancel = timers.after(deadlineMs, () => {
      resolve({ kind: 'late' });
      deadline.abort();
    });
    const work = async () => {
      const answer = await causedBy(cause, () => delivery.deliver(pending, deadline.signal));
      return { kind: 'answered', answer } as const;
    };
    const ended = work().catch((error: unknown) => ({ kind: 'threw', error }) as const);
    void ended.then(resolve).finally(cancel);
  });
}

function outcomeOf(answer: DeliveryAnswer, call: ProviderCall): CallOutcome {
  switch (answer.kind) {
    case 'delivered':
      return { kind: 'accepted', providerMessageId: answer.messageId ?? call.idempotencyKey };
    case 'retry': {
      const providerCode = codeOf(answer.reason);
      if (answer.afterMs === null) return { kind: 'transient', providerCode };
      return { kind: 'rate-limited', retryAfterMs: answer.afterMs, scope: 'message', providerCode };
    }
    case 'reject':
      return { kind: 'refused', code: answer.code, providerCode: codeOf(answer.reason) };
    default:
      // A delivery in JavaScript may say anything; what it means, nobody knows.
      return { kind: 'unknown', phase: 'answer-lost', providerCode: 'no_answer' };
  }
}

/** Codes have no spaces. */
function codeOf(reason: string): string {
  return String(reason).trim().replace(/\s+/g, '_');
}

function pendingOf(call: ProviderCall): PendingNotification {
  const { origin } = call;
  return {
    id: call.reference,
    cycle: call.cycle,
    attempt: call.attempt,
    channel: call.channel,
    to: call.recipient,
    template: call.template,
    body: call.body,
    data: call.data,
    trigger: origin.trigger,
    aggregateType: origin.aggregateType,
    aggregateId: origin.aggregateId,
    tenantId: origin.tenantId,
    orgUnitId: origin.orgUnitId,
    correlationId: origin.correlationId ?? call.reference,
    causationId: origin.causationId,
    occurredAtMs: origin.requestedAtMs,
    notAfterMs: call.notAfterMs,
  };
}

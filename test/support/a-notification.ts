// Builders of domain values for tests: everything has a plain default, a test names only what it is about.

import { newNotification } from '../../src/domain/admission.ts';
import type { CallOutcome, ProviderFacts } from '../../src/domain/call-outcome.ts';
import type { Change } from '../../src/domain/change.ts';
import { type ChannelConfig, defaultChannelConfig } from '../../src/domain/channel.ts';
import type { Claim, MessageEvidence, Notification, UnknownAttempt } from '../../src/domain/notification.ts';
import type { NotificationCommand } from '../../src/domain/notification-command.ts';
import { type NotificationId, parseNotificationId } from '../../src/domain/notification-id.ts';
import type { ProviderWebhook } from '../../src/domain/provider-webhook.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import type { GateCause, GateView, RuleFacts } from '../../src/domain/rule-facts.ts';
import type { CallAnswer } from '../../src/domain/settle.ts';

/** The present of every domain test, epoch ms. */
export const NOW_MS = 1_700_000_000_000;
export const LEASE_MS = 40_000;
export const PUBLISH_WITHIN_MS = 60_000;
export const LONGEST_RECORD_WAIT_MS = 960_000;

/** The n-th notification id of a test. */
export function anId(n = 1): NotificationId {
  const id = parseNotificationId(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  if (id === null) throw new RangeError(`no uuid ends in ${n}`);
  return id;
}

export function aRequest(over: Partial<NotificationRequest> = {}): NotificationRequest {
  return {
    notificationId: anId(),
    tenantId: 'tenant-1',
    channel: 'email',
    recipient: 'ada@example.com',
    template: null,
    body: { subject: 'Hello', text: 'Hello, Ada', html: null },
    data: {},
    inApp: null,
    notBeforeMs: null,
    notAfterMs: null,
    priority: null,
    parentId: null,
    aggregateType: null,
    aggregateId: null,
    orgUnitId: null,
    trigger: null,
    correlationId: null,
    causationId: null,
    requestedAtMs: NOW_MS,
    attributes: {},
    ...over,
  };
}

/** A committed row that is due now: Pending, nothing claimed, nothing owed. */
export function aNotification(over: Partial<Notification> = {}): Notification {
  return {
    ...newNotification(aRequest()),
    version: 1,
    wakeAtMs: NOW_MS,
    wakeSeq: 1,
    wakeInLog: true,
    nextAttemptAtMs: null,
    createdAtMs: NOW_MS,
    firstAttemptAtMs: null,
    lastAttemptAtMs: null,
    outcomeAtMs: null,
    trail: '',
    ...over,
  };
}

export function aClaim(over: Partial<Claim> = {}): Claim {
  return { token: 'mine', attempt: 1, providerKey: 'mail', takeovers: 0, ...over };
}

/** A row with a call in flight: `claim` was made now, its lease is not over. */
export function aClaimed(over: Partial<Notification> = {}): Notification {
  const claim = over.claim ?? aClaim({ attempt: over.attempts ?? 1 });
  return aNotification({
    attempts: claim.attempt,
    claim,
    providerKey: claim.providerKey,
    wakeAtMs: NOW_MS + LEASE_MS,
    wakeInLog: false,
    firstAttemptAtMs: NOW_MS,
    lastAttemptAtMs: NOW_MS,
    ...over,
  });
}

/** The same, looked at by another process right when its lease is over. */
export function anAbandoned(over: Partial<Notification> = {}): Notification {
  return aClaimed({ wakeAtMs: NOW_MS, lastAttemptAtMs: NOW_MS - LEASE_MS, ...over });
}

export function aDoubt(over: Partial<UnknownAttempt> = {}): UnknownAttempt {
  return { attempt: 1, providerKey: 'mail', sinceMs: NOW_MS - 60_000, resolution: 'retry', ...over };
}

/** An unclaimed row that does not know whether its last call was accepted, due now. */
export function anUncertain(over: Partial<Notification> = {}): Notification {
  return aNotification({
    status: 'Failed',
    attempts: 1,
    providerKey: 'mail',
    unknown: aDoubt(),
    lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'unknown', providerCode: null },
    firstAttemptAtMs: NOW_MS - 60_000,
    lastAttemptAtMs: NOW_MS - 60_000,
    ...over,
  });
}

export function aProvider(over: Partial<ProviderFacts> = {}): ProviderFacts {
  return {
    providerKey: 'mail',
    capability: 'key',
    windowMs: null,
    visibilityDelayMs: 5_000,
    deadlineMs: 15_000,
    maxConcurrency: 10,
    ratePerSecond: null,
    isStub: false,
    ...over,
  };
}

/** Five attempts, thirty seconds doubling, no jitter unless a test draws one. */
export function aConfig(over: Partial<ChannelConfig> = {}): ChannelConfig {
  return { ...defaultChannelConfig('email', 'mail'), ...over };
}

export interface FactsOver extends Partial<Omit<RuleFacts, 'config' | 'providers' | 'gateOf'>> {
  /** null: the channel has no configuration. */
  readonly config?: Partial<ChannelConfig> | null;
  readonly providers?: readonly Partial<ProviderFacts>[];
  /** The operator's, where a test does not say whose. */
  readonly gate?:
    | { readonly kind: 'open' }
    | { readonly kind: 'closed'; readonly waitMs: number; readonly why?: GateCause };
}

export function someFacts(over: FactsOver = {}): RuleFacts {
  const { config, providers, gate, ...rest } = over;
  const known = (providers ?? [{}]).map((provider) => aProvider(provider));
  return {
    nowMs: NOW_MS,
    config: config === null ? null : aConfig(config),
    providers: new Map(known.map((provider) => [provider.providerKey, provider])),
    pause: null,
    gateOf: () => viewOf(gate),
    fraction: 0,
    claimToken: 'fresh',
    leaseMs: LEASE_MS,
    publishWithinMs: PUBLISH_WITHIN_MS,
    longestRecordWaitMs: LONGEST_RECORD_WAIT_MS,
    ...rest,
  };
}

function viewOf(gate: FactsOver['gate']): GateView {
  return gate?.kind === 'closed' ? { why: 'operator', ...gate } : { kind: 'open' };
}

export const ACCEPTED: CallOutcome = { kind: 'accepted', providerMessageId: 'm-1' };
export const TRANSIENT: CallOutcome = { kind: 'transient', providerCode: '503' };
export const REFUSED: CallOutcome = {
  kind: 'refused',
  code: 'NTF_PROVIDER_INVALID_RECIPIENT',
  providerCode: '550',
};
export const LOST: CallOutcome = { kind: 'unknown', phase: 'sent', providerCode: 'timeout' };
export const MISCONFIGURED: CallOutcome = { kind: 'misconfigured', providerCode: '401' };
export const NOT_IMPLEMENTED: CallOutcome = { kind: 'not-implemented' };

/** The answer to the call of `aClaim()`. */
export function anAnswer(outcome: CallOutcome, over: Partial<CallAnswer> = {}): CallAnswer {
  return { cycle: 0, attempt: 1, claimToken: 'mine', providerKey: 'mail', outcome, ...over };
}

/** A vendor's report that a message failed, for a while and for good. */
export const BOUNCE = { verdict: 'failed', errorClass: 'transient', errorCode: 'bounce' } as const;
export const HARD = { verdict: 'failed', errorClass: 'refused', errorCode: '550' } as const;

/** As committed, with its outcome on the topic. */
export function committed(row: Notification, { next }: Change): Notification {
  return { ...row, ...next, publishedSeq: next.outcomeSeq };
}

/** A report about message `m-1` of the row's first call. */
export function aWebhook(over: Partial<ProviderWebhook> = {}): ProviderWebhook {
  return {
    eventId: '11111111-1111-4111-8111-111111111111',
    notificationId: anId(),
    provider: 'mail',
    providerMessageId: 'm-1',
    cycle: null,
    attempt: null,
    verdict: 'delivered',
    errorCode: null,
    errorClass: null,
    occurredAtMs: NOW_MS - 500,
    receivedAtMs: NOW_MS,
    ...over,
  };
}

/** Message `m-1` of the first call, accepted. */
export function aMessage(over: Partial<MessageEvidence> = {}): MessageEvidence {
  return { messageId: 'm-1', cycle: 0, attempt: 1, verdict: 'accepted', ...over };
}

/** A committed Sent row whose message `m-1` was accepted at attempt `attempts`, and whose outcome 1 is on the topic. */
export function aSent(over: Partial<Notification> = {}): Notification {
  const attempts = over.attempts ?? 1;
  return aNotification({
    status: 'Sent',
    final: 'accepted',
    attempts,
    providerKey: 'mail',
    providerMessageId: 'm-1',
    evidence: [{ messageId: 'm-1', cycle: over.cycle ?? 0, attempt: attempts, verdict: 'accepted' }],
    outcomeSeq: 1,
    publishedSeq: 1,
    wakeAtMs: null,
    wakeInLog: false,
    firstAttemptAtMs: NOW_MS - 1_000,
    lastAttemptAtMs: NOW_MS - 1_000,
    outcomeAtMs: NOW_MS - 900,
    ...over,
  });
}

export function aCommand(over: Partial<NotificationCommand> = {}): NotificationCommand {
  return {
    commandId: '22222222-2222-4222-8222-222222222222',
    notificationId: anId(),
    tenantId: 'tenant-1',
    kind: 'cancel',
    actor: 'ops:ada',
    reason: null,
    expectedCycle: null,
    isForced: false,
    issuedAtMs: NOW_MS - 200,
    ...over,
  };
}

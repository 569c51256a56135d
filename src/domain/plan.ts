// What to do with a row that something woke. Pure and total; the first rule that holds wins. It returns waits, never times.
import { endCancelled } from './cancel.ts';
import type { Change } from './change.ts';
import { changed } from './committed-row.ts';
import { doubtAbout, resolvedBy } from './doubt-left.ts';
import { endBudget } from './failure.ts';
import { expire } from './finish.ts';
import { type Hold, pausedBy } from './hold.ts';
import type { Claim, Notification, NotificationState, UnknownAttempt } from './notification.ts';
import { owesOutcome } from './obligation.ts';
import { type GateView, MAX_TAKEOVERS, policyOf, type RuleFacts } from './rule-facts.ts';
import { acceptRecorded } from './sent.ts';
import { trailCode } from './trail.ts';
import { canLookUp, canRepeat, settleUnknown } from './unknown.ts';
import { endUnknown, settleByPolicy } from './unknown-policy.ts';
import { unreachable } from './unreachable.ts';
import { hold, waitFor, waitForNotBefore } from './wait.ts';

export type Plan =
  /** Owes an outcome: publish it before anything changes the row. */
  | { readonly kind: 'publish' }
  /** Commit `claim`, then call the provider. Never commit it before the provider's permit is held. */
  | {
      readonly kind: 'send';
      readonly providerKey: string;
      readonly claim: Change;
      readonly isPossibleDuplicate: boolean;
    }
  /** Ask the provider by our reference; uses no attempt. */
  | { readonly kind: 'look-up'; readonly providerKey: string; readonly unknown: UnknownAttempt }
  /** Commit a change without calling anybody. */
  | { readonly kind: 'change'; readonly change: Change }
  /** The wake-up is the row's own and came early: wait for what is left. */
  | { readonly kind: 'not-due'; readonly waitMs: number }
  | { readonly kind: 'drop'; readonly reason: 'final' | 'superseded' | 'held' };

/** A wake-up decides nothing: the row is the answer. */
export function planWakeUp(row: Notification, wakeSeq: number, facts: RuleFacts): Plan {
  if (owesOutcome(row)) return { kind: 'publish' };
  if (row.final !== null) return { kind: 'drop', reason: 'final' };
  if (row.hold !== null) return planHeld(row, row.hold, facts);
  const leftMs = row.wakeAtMs === null ? 0 : row.wakeAtMs - facts.nowMs;
  if (leftMs > 0)
    return wakeSeq === row.wakeSeq
      ? { kind: 'not-due', waitMs: leftMs }
      : { kind: 'drop', reason: 'superseded' };
  return planDue(row, facts);
}

/** A new request: the row as it would be inserted. */
export function planNew(row: NotificationState, facts: RuleFacts): Plan {
  return planAttempt(row, facts);
}

function planHeld(row: Notification, since: Hold, facts: RuleFacts): Plan {
  if (isExpired(row, facts)) return { kind: 'change', change: expire(row, facts) };
  const cause = holdCause(row, facts);
  if (cause === since) return { kind: 'drop', reason: 'held' };
  if (cause !== null) return { kind: 'change', change: hold(row, cause, facts) };
  return planDue(changed(row, { hold: null }), facts);
}

/** The row's time has come: a message that is known already, a claim whose lease is over, a doubt, or the next attempt. */
function planDue(row: Notification, facts: RuleFacts): Plan {
  const sent = acceptRecorded(row, facts);
  if (sent !== null) return { kind: 'change', change: sent };
  if (row.claim !== null && row.cancelBy !== null)
    return { kind: 'change', change: cancelInDoubt(row, row.claim, row.cancelBy, facts) };
  if (row.claim !== null) return planTakeover(row, row.claim, facts);
  if (row.unknown !== null) return planDoubt(row, row.unknown, facts);
  return planAttempt(row, facts);
}

/** Asked to cancel while the call was in flight, and nobody recorded its answer: nothing more is sent, and it may have arrived. */
function cancelInDoubt(row: Notification, claim: Claim, by: string, facts: RuleFacts): Change {
  const unknown = resolvedBy(doubtAbout(row, claim, facts), 'held');
  return endCancelled(changed(row, { unknown }), trailCode('cancelled', { by, n: claim.attempt }), facts);
}

/** Nobody recorded an answer. Where a repeat is safe, the same attempt number is claimed again, at most three times. */
function planTakeover(row: Notification, claim: Claim, facts: RuleFacts): Plan {
  const { attempt, providerKey } = claim;
  // The lost call stays in doubt whatever the repeat is told: a certain failure of the repeat says nothing about it.
  const unknown = resolvedBy(doubtAbout(row, claim, facts), 'retry');
  const doubted = changed(row, { unknown });
  const isRepeatable =
    claim.takeovers < MAX_TAKEOVERS &&
    attempt <= policyOf(row.channel, facts).maxAttempts &&
    canRepeat(facts.providers.get(providerKey), unknown.sinceMs, facts) &&
    !isExpired(row, facts) &&
    holdCause(doubted, facts) === null &&
    facts.gateOf(providerKey).kind === 'open';
  if (!isRepeatable) {
    const lost = { attempt, providerKey, providerCode: null, leaseEndMs: row.wakeAtMs ?? facts.nowMs };
    return { kind: 'change', change: settleUnknown(row, lost, facts) };
  }
  const takeovers = claim.takeovers + 1;
  return {
    kind: 'send',
    providerKey,
    isPossibleDuplicate: false,
    claim: {
      next: changed(doubted, { claim: { ...claim, token: facts.claimToken, takeovers } }),
      wake: { kind: 'after', waitMs: facts.leaseMs, inLog: false },
      isNextAttempt: false,
      trail: trailCode('taken-over', { n: attempt, times: takeovers, provider: providerKey }),
    },
  };
}

/** What was chosen when the doubt began is chosen again when it no longer holds: a window passed, the policy or the adapter changed. */
function planDoubt(row: Notification, unknown: UnknownAttempt, facts: RuleFacts): Plan {
  const provider = facts.providers.get(unknown.providerKey);
  const byPolicy = (): Plan => ({ kind: 'change', change: settleByPolicy(row, unknown, facts) });
  switch (unknown.resolution) {
    case 'held': {
      const end = isExpired(row, facts) ? expire(row, facts) : endUnknown(row, unknown, facts);
      return { kind: 'change', change: end };
    }
    case 'resend': {
      const isAllowed = facts.config === null || facts.config.onUnknown === 'resend';
      return isAllowed ? planAttempt(row, facts) : byPolicy();
    }
    case 'retry':
      return canRepeat(provider, unknown.sinceMs, facts) ? planAttempt(row, facts) : byPolicy();
    case 'look-up':
      return canLookUp(provider, unknown.sinceMs, facts) ? planLookUp(row, unknown, facts) : byPolicy();
    default:
      return unreachable(unknown.resolution);
  }
}

/** A row that ran into notAfter asks once more, gate or not: its answer may still be Sent. */
function planLookUp(row: Notification, unknown: UnknownAttempt, facts: RuleFacts): Plan {
  const gate = facts.gateOf(unknown.providerKey);
  if (gate.kind === 'closed' && !isExpired(row, facts))
    return waitAtGate(row, unknown.providerKey, gate, facts);
  return { kind: 'look-up', providerKey: unknown.providerKey, unknown };
}

/** The order matters: an end before a wait, a wait before a hold, a hold before a gate, a gate before a claim. */
function planAttempt(row: NotificationState, facts: RuleFacts): Plan {
  if (isExpired(row, facts)) return { kind: 'change', change: expire(row, facts) };
  if (row.notBeforeMs !== null && row.notBeforeMs > facts.nowMs)
    return { kind: 'change', change: waitForNotBefore(row, row.notBeforeMs, facts) };
  const shown = arriveInApp(row);
  if (facts.config !== null && shown.attempts >= facts.config.maxAttempts)
    return { kind: 'change', change: endBudget(shown, shown.lastError, facts) };
  const cause = holdCause(shown, facts);
  if (cause !== null) return { kind: 'change', change: hold(shown, cause, facts) };
  const providerKey = nextProviderKey(shown, facts);
  if (providerKey === null) return { kind: 'change', change: hold(shown, 'channel-unconfigured', facts) };
  const gate = facts.gateOf(providerKey);
  if (gate.kind === 'closed') return waitAtGate(shown, providerKey, gate, facts);
  return claimNext(shown, providerKey, facts);
}

function claimNext(row: NotificationState, providerKey: string, facts: RuleFacts): Plan {
  const attempt = row.attempts + 1;
  const isPossibleDuplicate = row.unknown?.resolution === 'resend';
  return {
    kind: 'send',
    providerKey,
    isPossibleDuplicate,
    claim: {
      next: changed(row, {
        attempts: attempt,
        hold: null,
        providerKey,
        // A message that failed is the row's own until the next attempt begins.
        providerMessageId: null,
        claim: { token: facts.claimToken, attempt, providerKey, takeovers: 0 },
      }),
      wake: { kind: 'after', waitMs: facts.leaseMs, inLog: false },
      isNextAttempt: false,
      trail: trailCode('claimed', {
        n: attempt,
        provider: providerKey,
        resend: isPossibleDuplicate ? 1 : null,
      }),
    },
  };
}

function waitAtGate(
  row: NotificationState,
  provider: string,
  { waitMs, why }: Extract<GateView, { kind: 'closed' }>,
  facts: RuleFacts,
): Plan {
  const trail = trailCode('gate-closed', { provider, why, wait: waitMs });
  return { kind: 'change', change: waitFor(row, waitMs, trail, facts) };
}

function isExpired(row: NotificationState, facts: RuleFacts): boolean {
  return row.notAfterMs !== null && row.notAfterMs <= facts.nowMs;
}

/** Why nothing may be sent now; null when it may. What a person said comes first. */
export function holdCause(row: NotificationState, facts: RuleFacts): Hold | null {
  const { config, pause } = facts;
  if (pause !== null) return pausedBy(pause);
  if (config === null || config.providerKey === null) return 'channel-unconfigured';
  if (!config.isEnabled) return 'channel-disabled';
  const provider = facts.providers.get(nextProviderKey(row, facts) ?? config.providerKey);
  if (provider === undefined) return 'channel-unconfigured';
  return provider.isStub ? 'channel-stub' : null;
}

/** A changed ProviderKey applies only after a certain failure; under a safe key a doubt outlives one. */
function nextProviderKey(row: NotificationState, facts: RuleFacts): string | null {
  const { unknown, lastError } = row;
  const configured = facts.config?.providerKey ?? null;
  if (unknown === null) return configured;
  return unknown.resolution === 'resend' && lastError?.errorClass !== 'unknown'
    ? configured
    : unknown.providerKey;
}

/** The in-app copy passes no gate, hold or permit: the first commit after notBefore delivers it. */
function arriveInApp(row: NotificationState): NotificationState {
  return row.inAppStatus === 'waiting' ? changed(row, { inAppStatus: 'arrived' }) : row;
}

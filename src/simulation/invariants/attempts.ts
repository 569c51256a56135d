// Every call and every claim, watched as they happen: written ahead, within the budget, not before its time, never after the end.

import type { Notification } from '../../domain/notification.ts';
import type { LedgerCall } from '../ledger.ts';
import type { Stage } from '../stage.ts';
import type { CommittedClaim, Transition } from '../witness.ts';

export function attemptInvariants(stage: Stage): void {
  const { world, witness } = stage;
  witness.onCall((call, row) => {
    world.tell(
      call.by,
      () =>
        `calls ${call.providerKey} for ${call.reference.slice(-2)}/${call.cycle}, attempt ${call.attempt}`,
    );
    for (const [name, judge] of CALL_JUDGES) {
      const detail = judge(stage, call, row);
      if (detail !== null) world.violate(name, `${call.reference.slice(-2)} by ${call.by}: ${detail}`);
    }
  });
  witness.onTransition((transition) => {
    for (const [name, judge] of CLAIM_JUDGES) {
      const detail = judge(stage, transition);
      if (detail !== null)
        world.violate(name, `${transition.after.id.slice(-2)} by ${transition.by}: ${detail}`);
    }
  });
}

type CallJudge = (stage: Stage, call: LedgerCall, row: Notification | null) => string | null;
type ClaimJudge = (stage: Stage, transition: Transition) => string | null;

const CALL_JUDGES: readonly (readonly [string, CallJudge])[] = [
  ['S5 no call without its claim', claimIsThere],
  ['S5 one call per claim', oneCallPerClaim],
  ['S6 no call after the end', notAfterTheEnd],
  ['S1 one key per cycle', keyIsTheCycles],
  ['S8 no call after notAfter', notAfterNotAfter],
  ['a provider gets no more calls at once than it takes', withinConcurrency],
];

const CLAIM_JUDGES: readonly (readonly [string, ClaimJudge])[] = [
  ['S5 attempts within the budget', withinBudget],
  ['S5 takeovers are few', takeoversAreFew],
  ['S8 no attempt before its time', notBeforeItsTime],
  ['S8 no attempt before Retry-After', notBeforeRetryAfter],
  ['S8 no claim while another holds', leaseIsOver],
  ['S14 no claim while the channel is off', channelIsOn],
];

function claimsFor({ witness }: Stage, call: LedgerCall): readonly CommittedClaim[] {
  return witness
    .claimsOf(call.reference)
    .filter(
      ({ cycle, claim }) =>
        cycle === call.cycle && claim.attempt === call.attempt && claim.providerKey === call.providerKey,
    );
}

function claimIsThere(stage: Stage, call: LedgerCall): string | null {
  return claimsFor(stage, call).some(({ by }) => by === call.by)
    ? null
    : `attempt ${call.attempt} was never claimed`;
}

function oneCallPerClaim(stage: Stage, call: LedgerCall): string | null {
  const { reference, cycle, attempt, providerKey } = call;
  const calls = stage.ledger.calls.filter(
    (other) =>
      other.reference === reference &&
      other.cycle === cycle &&
      other.attempt === attempt &&
      other.providerKey === providerKey,
  );
  const claims = claimsFor(stage, call);
  return calls.length <= claims.length
    ? null
    : `${calls.length} calls with ${claims.length} claims of attempt ${attempt}`;
}

function notAfterTheEnd(_stage: Stage, call: LedgerCall, row: Notification | null): string | null {
  if (row === null || row.cycle !== call.cycle || row.final === null) return null;
  return `the row is ${row.status}, final ${row.final}`;
}

function keyIsTheCycles(_stage: Stage, call: LedgerCall): string | null {
  return call.idempotencyKey === `${call.reference}:${call.cycle}`
    ? null
    : `the key is ${call.idempotencyKey}`;
}

function notAfterNotAfter({ asked }: Stage, call: LedgerCall): string | null {
  const notAfterMs = asked.get(call.reference)?.payloads[0]?.notAfterMs ?? null;
  // Judged by our estimate of the store's clock, which is late by one way of an answer.
  return notAfterMs === null || call.atMs <= notAfterMs + LATE_ESTIMATE_MS
    ? null
    : `${call.atMs - notAfterMs} ms too late`;
}

const LATE_ESTIMATE_MS = 1_100;

function isNewClaim({ before, after }: Transition): boolean {
  return after.claim !== null && after.claim.token !== before?.claim?.token;
}

/** The budget is what any configuration of the channel ever allowed. */
function withinBudget({ eras }: Stage, transition: Transition): string | null {
  const { after } = transition;
  if (!isNewClaim(transition) || after.claim === null) return null;
  const allowed = Math.max(...(eras.get(after.channel) ?? []).map(({ config }) => config.maxAttempts));
  return after.claim.attempt <= allowed ? null : `attempt ${after.claim.attempt} of at most ${allowed}`;
}

/** By the specification, whatever the product's own constant says. */
const MAX_TAKEOVERS = 3;

function takeoversAreFew(_stage: Stage, { after }: Transition): string | null {
  const takeovers = after.claim?.takeovers ?? 0;
  return takeovers <= MAX_TAKEOVERS ? null : `${takeovers} takeovers`;
}

/** Calls of one process that it still waits for. */
function withinConcurrency({ ledger, vendors }: Stage, call: LedgerCall): string | null {
  const facts = vendors
    .map((vendor) => vendor.facts)
    .find(({ providerKey }) => providerKey === call.providerKey);
  if (facts === undefined) return 'nobody knows this provider';
  const open = ledger.calls.filter(
    (other) =>
      other.by === call.by &&
      other.providerKey === call.providerKey &&
      !other.isHeard &&
      call.atMs < other.askedAtMs + facts.deadlineMs,
  );
  return open.length <= facts.maxConcurrency
    ? null
    : `${open.length} calls at once, ${facts.maxConcurrency} allowed`;
}

function notBeforeRetryAfter({ ledger }: Stage, transition: Transition): string | null {
  const { before, after, atMs } = transition;
  const isNext = isNewClaim(transition) && before !== null && after.attempts > before.attempts;
  if (!isNext || before.lastError?.code !== 'NTF_PROVIDER_RATE_LIMITED' || after.cycle > 0) return null;
  const limited = ledger.calls.findLast(({ reference, isHeard }) => reference === after.id && isHeard);
  if (limited?.said !== 'rate-limited') return null;
  const earlyMs = limited.saidAtMs + (limited.retryAfterMs ?? 0) - atMs;
  return earlyMs <= 0 ? null : `${earlyMs} ms before the provider's Retry-After`;
}

function notBeforeItsTime({ asked }: Stage, transition: Transition): string | null {
  const { before, after, atMs } = transition;
  if (!isNewClaim(transition)) return null;
  const notBeforeMs = asked.get(after.id)?.payloads[0]?.notBeforeMs ?? 0;
  if (atMs < notBeforeMs) return `${notBeforeMs - atMs} ms before notBefore`;
  const isNext = before !== null && after.attempts > before.attempts;
  // Whoever redrives overrules the wait of the cycle before.
  const isOwnWait = before?.trail.includes(' command-redrive ') !== true;
  const nextMs = isNext && isOwnWait ? (before.nextAttemptAtMs ?? 0) : 0;
  return atMs >= nextMs ? null : `${nextMs - atMs} ms before the next attempt's time`;
}

function leaseIsOver(_stage: Stage, transition: Transition): string | null {
  const { before, atMs } = transition;
  if (!isNewClaim(transition) || before?.claim == null) return null;
  const leaseEndMs = before.wakeAtMs ?? 0;
  return atMs >= leaseEndMs ? null : `the lease of the other claim lasts ${leaseEndMs - atMs} ms longer`;
}

/** Whoever decides to call knows of the channel what its process heard last. */
function channelIsOn(_stage: Stage, transition: Transition): string | null {
  const { after, known } = transition;
  if (!isNewClaim(transition)) return null;
  const config = known?.channels.find(({ channel }) => channel === after.channel);
  return config?.isEnabled === false ? `${after.channel} was known to be off` : null;
}

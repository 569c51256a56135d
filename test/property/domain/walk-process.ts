// The processes of a walk: they plan, claim, call, settle, release and die as the product does, and publish before they change.
// Everything that a rule wants is applied with the store's own arithmetic, and every invariant is checked after it.
import type { Change } from '../../../src/domain/change.ts';
import { owesOutcome } from '../../../src/domain/obligation.ts';
import { type Plan, planWakeUp } from '../../../src/domain/plan.ts';
import { releaseClaim } from '../../../src/domain/release.ts';
import type { RuleFacts } from '../../../src/domain/rule-facts.ts';
import { type CallAnswer, settleAnswer } from '../../../src/domain/settle.ts';
import { settleLookup } from '../../../src/domain/unknown.ts';
import { changedRow, insertedRow, markedRow } from '../../../src/state/applied-change.ts';
import { aProvider, LEASE_MS } from '../../support/a-notification.ts';
import { checkFinal, checkMessages, checkSend, checkStep, decidedPart } from './walk-invariants.ts';
import { answerLookUp, RETRY_AFTER_MS, serve } from './walk-provider.ts';
import { capabilityOf, type Fate, factsOf, note, type Walk, type WalkCall } from './walk-state.ts';

/** An acceptance that counts: of a message that no webhook reported as failed, in the row's own cycle. */
function noteAccepted(walk: Walk, id: string): void {
  const { row } = walk;
  const message = walk.messages.find((one) => one.id === id);
  if (message?.cycle === row?.cycle && !isReportedDown(walk, id)) walk.accepted.add(id);
}

/** The same key brings the same message, and that one was reported as failed. */
function isTakenForDown(walk: Walk, cycle: number, providerKey: string): boolean {
  if (capabilityOf(walk, providerKey) !== 'key') return false;
  return walk.messages.some(
    (message) =>
      message.cycle === cycle && message.providerKey === providerKey && isReportedDown(walk, message.id),
  );
}

function isReportedDown({ row }: Walk, id: string): boolean {
  return row?.evidence.find(({ messageId }) => messageId === id)?.verdict.startsWith('failed') === true;
}

export function commit(walk: Walk, change: Change): void {
  const before = walk.row;
  const row = before === null ? insertedRow(change, walk.nowMs) : changedRow(before, change, walk.nowMs);
  note(walk, `commit ${change.trail} wake ${JSON.stringify(change.wake)}`);
  walk.row = row;
  checkStep(before, row, walk);
  checkFinal(row, walk);
}

export function publishFirst(walk: Walk, isMarked: boolean): void {
  const { row } = walk;
  if (row === null || !owesOutcome(row)) return;
  if (isMarked) walk.row = markedRow(row, row.outcomeSeq);
}

export function carryOut(walk: Walk, plan: Plan, facts: RuleFacts): void {
  switch (plan.kind) {
    case 'publish':
      publishFirst(walk, true);
      return;
    case 'send':
      claim(walk, plan, facts);
      return;
    case 'look-up':
      note(walk, 'look-up');
      walk.lookingUp = plan;
      return;
    case 'change':
      commit(walk, plan.change);
      return;
    case 'not-due':
    case 'drop':
      note(walk, plan.kind);
  }
}

function claim(walk: Walk, plan: Extract<Plan, { kind: 'send' }>, facts: RuleFacts): void {
  const made = plan.claim.next.claim;
  if (made === null) throw new Error('a send without a claim');
  const call: WalkCall = {
    token: made.token,
    cycle: plan.claim.next.cycle,
    budget: walk.budget,
    attempt: made.attempt,
    providerKey: made.providerKey,
    takeovers: made.takeovers,
    claimedAtMs: walk.nowMs,
    state: 'unsent',
    outcome: null,
    known: isTakenForDown(walk, plan.claim.next.cycle, made.providerKey) ? 'failed' : 'nothing',
    isGivenBack: false,
  };
  checkSend(walk.row ?? plan.claim.next, call, facts, walk);
  commit(walk, plan.claim);
  walk.calls.push(call);
}

export function start(walk: Walk, call: WalkCall, fate: Fate): void {
  const { deadlineMs } = aProvider();
  if (walk.nowMs - call.claimedAtMs + deadlineMs >= LEASE_MS) {
    release(walk, call);
    return;
  }
  call.state = 'open';
  call.outcome = serve(walk, call, fate);
  note(walk, `call ${call.token} attempt ${call.attempt} at ${call.providerKey}: ${fate}`);
  checkMessages(walk);
}

export function release(walk: Walk, call: WalkCall): void {
  call.state = 'gone';
  publishFirst(walk, false);
  const { row } = walk;
  if (row?.claim?.token !== call.token || row.claim === null) return;
  call.known = 'released';
  commit(walk, releaseClaim(row, row.claim, factsOf(walk)));
}

export function answer(walk: Walk, call: WalkCall): void {
  const { outcome } = call;
  if (outcome === null || walk.row === null) return;
  call.state = 'gone';
  const said: CallAnswer = {
    cycle: call.cycle,
    attempt: call.attempt,
    claimToken: call.token,
    providerKey: call.providerKey,
    outcome,
  };
  const isOwn = walk.row.claim?.token === call.token;
  if (outcome.kind === 'accepted')
    call.known = isReportedDown(walk, outcome.providerMessageId) ? 'failed' : 'accepted';
  else if (outcome.kind !== 'unknown') call.known = 'failed';
  call.isGivenBack = isOwn && (outcome.kind === 'misconfigured' || outcome.kind === 'not-implemented');
  if (outcome.kind === 'accepted') noteAccepted(walk, outcome.providerMessageId);
  fold(walk, said);
  // A message that stands ends the row, and then nobody waits: what reopens it knows of no such wait.
  const waits = outcome.kind === 'rate-limited' && isOwn && walk.row.final === null;
  if (waits) walk.retryAfterUntilMs = walk.nowMs + RETRY_AFTER_MS;
  repeat(walk, said);
  if (outcome.kind !== 'refused') walk.answered.push(said);
}

function fold(walk: Walk, said: CallAnswer): void {
  publishFirst(walk, false);
  if (walk.row === null) return;
  note(walk, `answer to ${said.claimToken}: ${said.outcome.kind}`);
  const change = settleAnswer(walk.row, said, factsOf(walk));
  if (change !== null) commit(walk, change);
}

/** The same answer again, now or much later, leaves what was decided as it is. */
export function repeat(walk: Walk, said: CallAnswer): void {
  publishFirst(walk, true);
  if (walk.row === null) return;
  const before = { decided: decidedPart(walk.row), wakeSeq: walk.row.wakeSeq };
  fold(walk, said);
  const after = { decided: decidedPart(walk.row), wakeSeq: walk.row.wakeSeq };
  if (JSON.stringify(before) !== JSON.stringify(after))
    throw new Error(`a repeated answer changed the row\n${walk.diary.join('\n')}`);
}

export function lookUp(walk: Walk, isUnavailable: boolean): void {
  const { lookingUp } = walk;
  walk.lookingUp = null;
  if (lookingUp === null) return;
  const said = answerLookUp(walk, lookingUp.providerKey, isUnavailable);
  note(walk, `looked up: ${said.kind}`);
  if (said.kind === 'found') noteAccepted(walk, said.providerMessageId);
  publishFirst(walk, true);
  if (walk.row === null) return;
  const change = settleLookup(walk.row, lookingUp.unknown, said, factsOf(walk));
  if (change === null) return;
  if (said.kind === 'absent')
    for (const call of walk.calls) if (call.known === 'nothing') call.known = 'failed';
  commit(walk, change);
}

export function wake(walk: Walk, when: 'now' | 'until-due' | 'stale'): void {
  const { row } = walk;
  if (row === null) return;
  if (when === 'until-due' && row.wakeAtMs !== null) walk.nowMs = Math.max(walk.nowMs, row.wakeAtMs);
  const facts = factsOf(walk);
  carryOut(walk, planWakeUp(row, when === 'stale' ? row.wakeSeq - 1 : row.wakeSeq, facts), facts);
}

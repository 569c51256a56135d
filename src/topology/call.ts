// Claim, call, settle. The claim is committed before the call; the call holds no transaction and no connection; its answer is folded
// until the row says it, whoever owns the key by then. An answer is never thrown away and never planned with.

import { partitionFor } from '../broker/partitioner.ts';
import type { Claim, Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Plan } from '../domain/plan.ts';
import { releaseClaim } from '../domain/release.ts';
import type { Content } from '../domain/request.ts';
import { type CallAnswer, settleAnswer } from '../domain/settle.ts';
import type { ProviderCall, SendAnswer } from '../providers/provider.ts';
import { invariant, messageOf } from '../runtime/fault.ts';
import { reportAnswer } from './call-report.ts';
import { type ClaimFence, claimFence } from './claim-fence.ts';
import { type Engine, factsFor } from './engine.ts';
import { foldUntilRecorded } from './fold.ts';
import { gateStateOf } from './gate-state.ts';
import { payObligation } from './obligations.ts';
import type { Permit } from './places.ts';
import { plainAnswer } from './plain-answer.ts';
import type { GatePass } from './provider-gate.ts';
import { commitChange, type Subject, stateOf } from './subject.ts';
import { DONE, type Turn } from './turn.ts';

type SendPlan = Extract<Plan, { kind: 'send' }>;

export async function callProvider(
  engine: Engine,
  subject: Subject,
  plan: SendPlan,
  permit: Permit,
): Promise<Turn> {
  const provider = engine.providers.get(plan.providerKey);
  invariant(provider !== undefined, `no provider ${plan.providerKey}`);
  invariant(subject.content !== null, `a row without content cannot be sent: ${stateOf(subject).id}`);
  const fence = claimFence(engine.clock, engine.settings.leaseMs, provider.facts.deadlineMs);
  const pass = engine.gates.enter(plan.providerKey);
  engine.claims.add(fence, taskOf(engine, stateOf(subject).id));
  try {
    const committed = await commitChange(engine, subject, plan.claim);
    if (committed.kind !== 'committed') return committed.kind === 'lost-race' ? committed : DONE;
    const { row } = committed;
    invariant(row.claim !== null, `a claim was committed without a claim: ${row.id}`);
    if (plan.isPossibleDuplicate)
      engine.metrics.increment('pin_possible_duplicates_total', { channel: row.channel });
    const answer = await callOnce(engine, row, row.claim, subject.content, fence, permit);
    permit.release();
    await settle(engine, row, row.claim, subject.content, answer, pass);
    return DONE;
  } finally {
    engine.claims.remove(fence);
    pass.leave();
  }
}

function taskOf(engine: Engine, id: NotificationId): number {
  return partitionFor(new TextEncoder().encode(id), engine.settings.partitions);
}

async function settle(
  engine: Engine,
  row: Notification,
  claim: Claim,
  content: Content,
  answer: SendAnswer,
  pass: GatePass,
): Promise<void> {
  const { token, attempt } = claim;
  if (answer.kind === 'not-started') {
    pass.leave();
    const settled = await foldUntilRecorded(
      engine,
      { row, content },
      {
        fold: (current) =>
          current.claim !== null && current.claim.token === token
            ? releaseClaim(current, current.claim, factsFor(engine, current, content))
            : null,
        token,
        attempt,
        said: 'not started',
      },
    );
    if (settled !== null) await payObligation(engine, settled.row, settled.content, settled.from);
    return;
  }
  pass.record(answer);
  reportAnswer(engine, { row, content }, claim, answer);
  const call: CallAnswer = {
    cycle: row.cycle,
    attempt: claim.attempt,
    claimToken: claim.token,
    providerKey: claim.providerKey,
    outcome: answer,
  };
  const settled = await foldUntilRecorded(
    engine,
    { row, content },
    {
      fold: (current) => settleAnswer(current, call, factsFor(engine, current, content)),
      token,
      attempt,
      said: answer.kind === 'accepted' ? `accepted ${answer.providerMessageId}` : answer.kind,
    },
  );
  if (settled !== null) await payObligation(engine, settled.row, settled.content, settled.from);
}

/** Not while it is half open: whoever waits then may be the probe. */
function isShut(engine: Engine, providerKey: string): boolean {
  const state = gateStateOf(engine, providerKey);
  return state === 'closed' || state === 'closed-by-operator';
}

async function callOnce(
  engine: Engine,
  row: Notification,
  claim: Claim,
  content: Content,
  fence: ClaimFence,
  permit: Permit,
): Promise<SendAnswer> {
  const provider = engine.providers.get(claim.providerKey);
  invariant(provider !== undefined, `no provider ${claim.providerKey}`);
  const { request } = content;
  const call: ProviderCall = {
    reference: row.id,
    cycle: row.cycle,
    attempt: claim.attempt,
    idempotencyKey: `${row.id}:${row.cycle}`,
    channel: row.channel,
    recipient: request.recipient,
    template: request.template,
    body: request.body,
    data: request.data,
    notAfterMs: row.notAfterMs,
    origin: request,
  };
  const mayStart = () => {
    // No attempt starts after notAfter, however long ago it was claimed.
    if (row.notAfterMs !== null && engine.storeClock.nowMs() >= row.notAfterMs) fence.release();
    return fence.mayStart();
  };
  const released = fence.released.then((): SendAnswer => ({ kind: 'not-started' }));
  const waiting = permit.place();
  if (waiting !== null) {
    await Promise.race([released, waiting]);
    // Whoever waited may find a gate that was open for the claim: what was sent to nobody yet does not go to a closed one.
    if (isShut(engine, claim.providerKey) && fence.release()) return { kind: 'not-started' };
  }
  const startedAtMs = engine.clock.monotonicMs();
  try {
    // A released claim sends nothing any more, however long the provider takes to notice: its row is free at once.
    const answer = await Promise.race([released, provider.send(call, mayStart)]);
    const took = (engine.clock.monotonicMs() - startedAtMs) / 1_000;
    const labels = { channel: row.channel, provider: claim.providerKey };
    if (answer.kind !== 'not-started') engine.metrics.observe('pin_delivery_duration_seconds', labels, took);
    return plainAnswer(answer, `${call.idempotencyKey}:${call.attempt}`);
  } catch (error) {
    // Against the port's contract; once it may have started, whether anything was sent is unknown.
    engine.logger.error('provider.threw', { provider: claim.providerKey, detail: messageOf(error) });
    const providerCode = 'adapter_threw';
    return fence.release()
      ? { kind: 'transient', providerCode }
      : { kind: 'unknown', phase: 'sent', providerCode };
  }
}

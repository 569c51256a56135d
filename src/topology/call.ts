// Claim, call, settle. The claim is committed before the call; the call holds no transaction and no connection; its answer is folded
// until the row says it, whoever owns the key by then. An answer is never thrown away and never planned with.
import type { CallOutcome } from '../domain/call-outcome.ts';
import type { Claim, Notification } from '../domain/notification.ts';
import type { Plan } from '../domain/plan.ts';
import { releaseClaim } from '../domain/release.ts';
import type { Content } from '../domain/request.ts';
import { type CallAnswer, settleAnswer } from '../domain/settle.ts';
import type { ProviderCall, SendAnswer } from '../providers/provider.ts';
import { invariant, messageOf } from '../runtime/fault.ts';
import type { Turn } from './advance.ts';
import { type ClaimFence, claimFence } from './claim-fence.ts';
import { type Engine, factsFor } from './engine.ts';
import { foldUntilRecorded } from './fold.ts';
import { payObligation } from './obligations.ts';
import type { Permit } from './permits.ts';
import { commitChange, type Subject, stateOf } from './subject.ts';

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
  engine.gates.enter(plan.providerKey);
  engine.fences.add(fence);
  try {
    const committed = await commitChange(engine, subject, plan.claim);
    if (committed.kind !== 'committed') {
      engine.gates.leave(plan.providerKey);
      return committed.kind === 'lost-race' ? committed : { kind: 'done' };
    }
    const { row } = committed;
    invariant(row.claim !== null, `a claim was committed without a claim: ${row.id}`);
    if (subject.kind === 'new') countRequest(engine, row);
    if (plan.isPossibleDuplicate)
      engine.metrics.increment('pin_possible_duplicates_total', { channel: row.channel });
    const answer = await callOnce(engine, row, row.claim, subject.content, fence);
    permit.release(answer.tookMs);
    await settle(engine, row, row.claim, subject.content, answer.answer);
    return { kind: 'done' };
  } finally {
    engine.fences.delete(fence);
  }
}

async function settle(
  engine: Engine,
  row: Notification,
  claim: Claim,
  content: Content,
  answer: SendAnswer,
): Promise<void> {
  if (answer.kind === 'not-started') {
    engine.gates.leave(claim.providerKey);
    const settled = await foldUntilRecorded(engine, { row, content }, (current) =>
      current.claim !== null && current.claim.token === claim.token
        ? releaseClaim(current, current.claim, factsFor(engine, current.channel))
        : null,
    );
    if (settled !== null) await payObligation(engine, settled.row, settled.content);
    return;
  }
  engine.gates.record(claim.providerKey, answer);
  reportAnswer(engine, row, claim, answer);
  const call: CallAnswer = {
    cycle: row.cycle,
    attempt: claim.attempt,
    claimToken: claim.token,
    providerKey: claim.providerKey,
    outcome: answer,
  };
  const settled = await foldUntilRecorded(engine, { row, content }, (current) =>
    settleAnswer(current, call, factsFor(engine, current.channel)),
  );
  if (settled !== null) await payObligation(engine, settled.row, settled.content);
}

async function callOnce(
  engine: Engine,
  row: Notification,
  claim: Claim,
  content: Content,
  fence: ClaimFence,
): Promise<{ readonly answer: SendAnswer; readonly tookMs: number | null }> {
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
  };
  const startedAtMs = engine.clock.monotonicMs();
  try {
    const answer = await provider.send(call, () => fence.mayStart());
    const tookMs = engine.clock.monotonicMs() - startedAtMs;
    engine.metrics.observe(
      'pin_delivery_duration_seconds',
      { channel: row.channel, provider: claim.providerKey },
      tookMs / 1_000,
    );
    return { answer, tookMs: answer.kind === 'not-started' ? null : tookMs };
  } catch (error) {
    // Against the port's contract; whether anything was sent is then unknown.
    engine.logger.error('provider.threw', { provider: claim.providerKey, detail: messageOf(error) });
    const answer: SendAnswer = fence.release()
      ? { kind: 'not-started' }
      : { kind: 'unknown', phase: 'sent', providerCode: 'adapter_threw' };
    return { answer, tookMs: null };
  }
}

function countRequest(engine: Engine, row: Notification): void {
  engine.metrics.increment('pin_notifications_requested_total', { channel: row.channel });
  engine.logger.debug('notification.requested', { notification_id: row.id, channel: row.channel });
}

function reportAnswer(engine: Engine, row: Notification, claim: Claim, outcome: CallOutcome): void {
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
  });
}

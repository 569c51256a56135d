// One key's turn: plan, and do what the plan says, until nothing is left to do now. Every decision is a pure rule's; this file only
// carries it out: publish first, permit before claim, claim before call, fold until recorded.
import { park } from '../domain/admission.ts';
import type { Change } from '../domain/change.ts';
import type { Notification, NotificationState } from '../domain/notification.ts';
import type { Plan } from '../domain/plan.ts';
import type { Content } from '../domain/request.ts';
import type { RuleFacts } from '../domain/rule-facts.ts';
import { InvariantBroken, invariant } from '../runtime/fault.ts';
import { callProvider } from './call.ts';
import { causeFacts } from './cause-facts.ts';
import { type Engine, factsFor } from './engine.ts';
import { lookUp } from './look-up.ts';
import { payObligation, publishOutcome } from './obligations.ts';
import { Stopped } from './outages.ts';
import type { Permit } from './places.ts';
import { commitChange, loadStored, type Subject, stateOf } from './subject.ts';
import { DONE, type Turn } from './turn.ts';

export type Decide = (subject: Subject, facts: RuleFacts) => Plan;

/** A row that changes under us more often than this within one turn is not contention but a bug. */
const MAX_REPLANS = 100;

/** Carries out plans for `subject` until its turn is over. `lost-race` only for a new subject: a stored one is reloaded here. */
export async function advance(engine: Engine, start: Subject, decide: Decide): Promise<Turn> {
  let subject = start;
  for (let replan = 0; replan < MAX_REPLANS; replan += 1) {
    const facts = factsFor(engine, stateOf(subject), subject.content);
    const plan = decide(subject, facts);
    const turn = await carryOut(engine, subject, plan, decide, facts);
    if (turn.kind === 'published') {
      subject = turn.subject;
      continue;
    }
    if (turn.kind !== 'lost-race' || subject.kind === 'new') return turn;
    const stored = await loadStored(engine, subject.row.id);
    if (stored === null) return DONE;
    subject = { kind: 'stored', row: stored.row, content: stored.content };
  }
  throw new InvariantBroken(`no plan could be carried out for ${stateOf(subject).id}`);
}

type Carried = Turn | { readonly kind: 'published'; readonly subject: Subject };

async function carryOut(
  engine: Engine,
  subject: Subject,
  plan: Plan,
  decide: Decide,
  facts: RuleFacts,
): Promise<Carried> {
  switch (plan.kind) {
    case 'drop':
      return DONE;
    case 'not-due':
      return { kind: 'not-due', dueAtMs: facts.nowMs + plan.waitMs };
    case 'publish': {
      invariant(subject.kind === 'stored', 'only a stored row owes an outcome');
      const row = await publishOutcome(engine, subject.row, subject.content);
      return { kind: 'published', subject: { ...subject, row } };
    }
    case 'change':
      return commitAndPay(engine, subject, plan.change);
    default:
      return atProvider(engine, subject, plan.providerKey, decide);
  }
}

/** Never claims before the permit is held; while it waited the world moved, so it decides again with the permit in hand. */
async function atProvider(
  engine: Engine,
  subject: Subject,
  providerKey: string,
  decide: Decide,
): Promise<Carried> {
  const permits = engine.permits.get(providerKey);
  invariant(permits !== undefined, `provider ${providerKey} has no permits`);
  // A copy that still has to arrive waits for no permit: the commit that parks its row delivers it.
  const mayQueue = stateOf(subject).inAppStatus !== 'waiting';
  const grant = mayQueue ? await permits.acquire(subject.kind === 'stored') : grantNow(permits.tryAcquire());
  if (grant.kind === 'stopped') throw new Stopped('stopping before a call');
  const facts = factsFor(engine, stateOf(subject), subject.content);
  if (grant.kind === 'park')
    return commitAndPay(engine, subject, park(stateOf(subject), grant.waitMs, facts));
  const { permit } = grant;
  try {
    const plan = decide(subject, facts);
    const isForCall = plan.kind === 'send' || plan.kind === 'look-up';
    if (!isForCall || plan.providerKey !== providerKey) {
      permit.release();
      return await carryOut(engine, subject, plan, decide, facts);
    }
    if (engine.stopping.aborted) throw new Stopped('stopping before a call');
    return plan.kind === 'send'
      ? await callProvider(engine, subject, plan, permit)
      : await lookUp(engine, subject, plan, permit);
  } finally {
    permit.release();
  }
}

/** A row whose in-app copy must not wait is committed now and woken for its permit a moment later. */
const NO_PERMIT_WAIT_MS = 1_000;

function grantNow(permit: Permit | null) {
  return permit === null
    ? ({ kind: 'park', waitMs: NO_PERMIT_WAIT_MS } as const)
    : ({ kind: 'permit', permit } as const);
}

export async function commitAndPay(engine: Engine, subject: Subject, change: Change): Promise<Turn> {
  const committed = await commitChange(engine, subject, change);
  if (committed.kind === 'lost-race') return { kind: 'lost-race' };
  if (committed.kind === 'committed') {
    const before = stateOf(subject);
    reportChange(engine, before, committed.row, subject.content);
    await payObligation(engine, committed.row, subject.content, before.status);
  }
  return DONE;
}

function reportChange(
  engine: Engine,
  before: NotificationState,
  row: Notification,
  content: Content | null,
): void {
  if (row.hold !== null && before.hold !== row.hold) {
    if (row.hold === 'channel-disabled')
      engine.metrics.increment('pin_channel_disabled_skips_total', { channel: row.channel });
    engine.logger.debug('notification.held', {
      notification_id: row.id,
      channel: row.channel,
      reason: row.hold,
      status_from: before.status,
      status_to: row.status,
      version: row.version,
      ...causeFacts(content),
    });
  }
}

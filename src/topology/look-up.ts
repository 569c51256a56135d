// Asks the provider by our reference whether a lost call was accepted. Uses no attempt and claims nothing: it cannot send.
import type { LookupAnswer } from '../domain/call-outcome.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Plan } from '../domain/plan.ts';
import { settleLookup } from '../domain/unknown.ts';
import { invariant, messageOf } from '../runtime/fault.ts';
import { type Engine, factsFor } from './engine.ts';
import { foldUntilRecorded } from './fold.ts';
import { payObligation } from './obligations.ts';
import type { Permit } from './places.ts';
import { plainAnswer } from './plain-answer.ts';
import type { Subject } from './subject.ts';
import { DONE, type Turn } from './turn.ts';

type LookUpPlan = Extract<Plan, { kind: 'look-up' }>;

export async function lookUp(
  engine: Engine,
  subject: Subject,
  plan: LookUpPlan,
  permit: Permit,
): Promise<Turn> {
  invariant(subject.kind === 'stored', 'only a stored row has a doubt');
  const { row } = subject;
  await permit.place();
  const answer = await ask(engine, row.id, row.cycle, plan.providerKey);
  permit.release();
  engine.logger.debug('notification.looked-up', { notification_id: row.id, answer: answer.kind });
  const settled = await foldUntilRecorded(engine, subject, {
    // The answer is about this cycle's calls; what it means for a row that moved on is the rule's to say.
    fold: (current) =>
      current.cycle === row.cycle
        ? settleLookup(current, plan.unknown, answer, factsFor(engine, current, subject.content))
        : null,
    token: engine.ids.uuid(),
    attempt: plan.unknown.attempt,
    said: answer.kind === 'found' ? `found ${answer.providerMessageId}` : answer.kind,
  });
  if (settled !== null) await payObligation(engine, settled.row, settled.content, settled.from);
  return DONE;
}

async function ask(
  engine: Engine,
  id: NotificationId,
  cycle: number,
  providerKey: string,
): Promise<LookupAnswer> {
  const provider = engine.providers.get(providerKey);
  invariant(provider !== undefined, `no provider ${providerKey} to ask`);
  try {
    return plainAnswer(await provider.lookUp(id, cycle), `${id}:${cycle}`);
  } catch (error) {
    // Against the port's contract; nothing is known then.
    engine.logger.error('provider.threw', { provider: providerKey, detail: messageOf(error) });
    return { kind: 'unavailable', providerCode: 'adapter_threw' };
  }
}

// Asks the provider by our reference whether a lost call was accepted. Uses no attempt and claims nothing: it cannot send.
import type { Plan } from '../domain/plan.ts';
import { settleLookup } from '../domain/unknown.ts';
import { invariant } from '../runtime/fault.ts';
import type { Turn } from './advance.ts';
import { type Engine, factsFor } from './engine.ts';
import { foldUntilRecorded } from './fold.ts';
import { payObligation } from './obligations.ts';
import { Stopped } from './outages.ts';
import type { Subject } from './subject.ts';

export async function lookUp(
  engine: Engine,
  subject: Subject,
  plan: Extract<Plan, { kind: 'look-up' }>,
): Promise<Turn> {
  const provider = engine.providers.get(plan.providerKey);
  invariant(provider !== undefined && subject.kind === 'stored', `no provider ${plan.providerKey} to ask`);
  if (engine.stopping.aborted) throw new Stopped('stopping before a lookup');
  const { row } = subject;
  const answer = await provider.lookUp(row.id, row.cycle);
  engine.logger.debug('notification.looked-up', { notification_id: row.id, answer: answer.kind });
  const settled = await foldUntilRecorded(engine, subject, (current) => {
    const isSameDoubt =
      current.claim === null &&
      current.final === null &&
      current.cycle === row.cycle &&
      current.unknown?.attempt === plan.unknown.attempt;
    if (!isSameDoubt || current.unknown === null) return null;
    return settleLookup(current, current.unknown, answer, factsFor(engine, current.channel));
  });
  if (settled !== null) await payObligation(engine, settled.row, settled.content);
  return { kind: 'done' };
}

// What the rows say of the topic, held against the topic itself at the very commit that says it.
import type { NotificationId } from '../../domain/notification-id.ts';
import type { Stage } from '../stage.ts';
import type { Transition } from '../witness.ts';
import { idOf, textOf } from './record-text.ts';

export function publishingInvariants(stage: Stage): void {
  const { world, witness } = stage;
  witness.onTransition((transition) => {
    const claimed = takenForPublished(transition);
    if (claimed === 0) return;
    const { after, by } = transition;
    const told = toldOf(stage, after.id);
    if (told >= claimed) return;
    const detail = `${told} outcomes on the topic when ${claimed} were taken for published`;
    world.violate('S9 publish first', `${after.id.slice(-2)} by ${by}: ${detail}`);
  });
}

/** How many outcomes this commit relies on: those that it marks, and all before one that it adds. 0: it says nothing new. */
function takenForPublished({ before, after }: Transition): number {
  const marked = after.publishedSeq === (before?.publishedSeq ?? 0) ? 0 : after.publishedSeq;
  const replaced = after.outcomeSeq > (before?.outcomeSeq ?? 0) ? after.outcomeSeq - 1 : 0;
  return Math.max(marked, replaced);
}

/** Different outcomes of the key on the topic now. */
function toldOf({ broker, topics }: Stage, id: NotificationId): number {
  const records = broker.partitions.all(topics.dispatched).filter(({ key }) => textOf(key) === id);
  return new Set(records.map(idOf)).size;
}

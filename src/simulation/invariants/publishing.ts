// What the rows say of the topic, held against the topic itself at the very commit that says it.
import type { NotificationId } from '../../domain/notification-id.ts';
import type { Stage } from '../stage.ts';
import { idOf, textOf } from './record-text.ts';

export function publishingInvariants(stage: Stage): void {
  const { world, witness } = stage;
  witness.onTransition(({ before, after, by }) => {
    const claimed = Math.max(
      after.publishedSeq,
      after.outcomeSeq > (before?.outcomeSeq ?? 0) ? after.outcomeSeq - 1 : 0,
    );
    if (
      before !== null &&
      before.publishedSeq === after.publishedSeq &&
      before.outcomeSeq === after.outcomeSeq
    )
      return;
    const told = toldOf(stage, after.id);
    if (told >= claimed) return;
    const detail = `${after.id.slice(-2)} by ${by}: ${told} outcomes on the topic when ${claimed} were taken for published`;
    world.violate('S9 publish first', detail);
  });
}

/** Different outcomes of the key on the topic now. */
function toldOf({ broker, topics }: Stage, id: NotificationId): number {
  const records = broker.partitions.all(topics.dispatched).filter(({ key }) => textOf(key) === id);
  return new Set(records.map(idOf)).size;
}

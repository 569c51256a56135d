// What an operator does about records that were left alone because a process died with them three times: looks for the cause, finds none, and
// puts them back, as `pin quarantine replay` does.
import { DEADLY_RECORD } from '../../domain/deaths.ts';
import type { Cancel } from '../../runtime/timers.ts';
import { laneKeyOf } from '../../topology/record-turn.ts';
import type { Stage } from '../stage.ts';

const LOOKS_EVERY_MS = 10_000;

/** The records that are left alone now, oldest first. */
function leftAlone({ database: { quarantine } }: Stage) {
  return [...quarantine].filter(([, { reason }]) => reason === DEADLY_RECORD);
}

export function isSomethingLeftAlone(stage: Stage): boolean {
  return leftAlone(stage).length > 0;
}

/** From now on, until the returned function is called. */
export function putBackWhatIsLeftAlone(stage: Stage): Cancel {
  const { time } = stage.world;
  let cancel: Cancel = () => undefined;
  const look = () => {
    for (const [origin, { topic, partition, offset, key, value }] of leftAlone(stage)) {
      if (topic === null || partition === null || offset === null) continue;
      stage.world.tell('operator', () => `puts ${origin} back`);
      forgive(stage, laneKeyOf({ topic, partition, offset: Number(offset), key }));
      stage.database.quarantine.delete(origin);
      stage.broker.partitions.append({
        topic,
        partition: key === null ? partition : null,
        key,
        value,
        headers: {},
      });
    }
    cancel = time.after(LOOKS_EVERY_MS, look);
  };
  look();
  return () => cancel();
}

function forgive({ database: { lives } }: Stage, laneKey: string): void {
  for (const [partition, life] of lives) {
    if (!life.deadly.includes(laneKey)) continue;
    const deadly = life.deadly.filter((lane) => lane !== laneKey);
    lives.set(partition, { ...life, version: life.version + 1, deadly });
  }
}

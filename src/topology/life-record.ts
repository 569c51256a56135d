// The row of one task's lives, kept up by the life that has it: one write at a time, each on top of the last. When somebody else wrote
// meanwhile (a late goodbye, an operator) their version is taken up; when the task has another life, this one writes no more.
import type { TaskLife } from '../domain/deaths.ts';
import type { Engine } from './engine.ts';

export interface LifeRecord {
  current(): TaskLife;
  /** Resolves when the row says what `change` made of it; false: the task has another life. @throws Stopped, Fault */
  change(change: (now: TaskLife) => TaskLife): Promise<boolean>;
  /** As the table has it now. */
  refresh(): Promise<TaskLife>;
}

/** Others who write the row of a task are few. */
const MAX_TRIES = 100;

export function lifeRecord(engine: Engine, partition: number, begun: TaskLife): LifeRecord {
  let known = begun;
  let isMine = true;
  let writing: Promise<unknown> = Promise.resolve();
  const riding = <T>(work: () => Promise<T>) => engine.outages.riding('postgres', work, 'until-end');
  const refresh = async () => {
    const now = await riding(() => engine.store.lifeOf(partition));
    if (now !== null) known = now;
    isMine = known.life === begun.life && known.isLiving;
    return known;
  };
  const write = async (change: (now: TaskLife) => TaskLife) => {
    for (let tries = 0; isMine && tries < MAX_TRIES; tries += 1) {
      const next = change(known);
      if (await riding(() => engine.store.saveLife(partition, next))) {
        known = next;
        return true;
      }
      await refresh();
    }
    return false;
  };
  return {
    current: () => known,
    change(change) {
      const written = writing.then(() => write(change));
      writing = written.catch(() => undefined);
      return written;
    },
    refresh,
  };
}

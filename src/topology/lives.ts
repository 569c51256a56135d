// The lives of this process's tasks: written when a task comes, ended with a goodbye when it goes. A process that dies says none, and
// whoever has the task next knows. Where nobody died the first record waits for one small write, and no record pays anything after it.
import { sayGoodbye, takeOver } from '../domain/deaths.ts';
import { InvariantBroken, messageOf } from '../runtime/fault.ts';
import { type Care, care } from './care.ts';
import type { Engine } from './engine.ts';
import type { Lanes } from './lanes.ts';
import { type LifeRecord, lifeRecord } from './life-record.ts';
import { type QuietRoom, quietRoom } from './quiet-room.ts';

export interface Lives {
  /** Calls `onBegun` when the task's first record may start; null: no care is needed. Not at all when the processor stops before. */
  begin(partition: number, onBegun: (care: Care | null) => void): void;
  /** Of a task that went to somebody else, or of all at the end. Never rejects. */
  goodbye(partition: number): Promise<void>;
  readonly room: QuietRoom;
}

export interface LivesDeps {
  readonly engine: Engine;
  readonly lanes: Pick<Lanes, 'run' | 'idle'>;
  readonly processId: string;
  readonly onOpen: () => void;
  readonly onBug: (error: unknown) => void;
}

/** Others who take the same task over at the same time are few. */
const MAX_TRIES = 100;

export function taskLives(deps: LivesDeps): Lives {
  const { engine, lanes, processId } = deps;
  const living = new Map<number, Promise<LifeRecord>>();
  const records = new Set<LifeRecord>();
  const room = quietRoom({ lanes, onOpen: deps.onOpen, afterEach: () => nobodyAlone(records), ...engine });
  const isOff = engine.settings.cautionMs === 0;
  const begin = async (partition: number) => {
    const taking = takenOver(engine, partition, { life: engine.ids.uuid(), processId });
    living.set(partition, taking);
    const record = await taking;
    records.add(record);
    const { deaths, suspects, deadly } = record.current();
    if (deaths > 0)
      engine.logger.warn('task.after-death', {
        partition,
        deaths,
        suspects: suspects.length,
        deadly: deadly.length,
      });
    return deaths === 0 && deadly.length === 0 ? null : care({ engine, lanes, room, life: record });
  };
  return {
    room,
    begin(partition, onBegun) {
      if (isOff) onBegun(null);
      else
        begin(partition)
          .then(onBegun)
          .catch((error: unknown) => {
            if (!engine.stopping.aborted) deps.onBug(error);
          });
    },
    async goodbye(partition) {
      const taking = living.get(partition);
      living.delete(partition);
      try {
        const record = await taking;
        if (record === undefined) return;
        records.delete(record);
        await leave(engine, partition, record.current().life);
      } catch (error) {
        engine.logger.debug('goodbye.unsaid', { partition, detail: messageOf(error) });
      }
    },
  };
}

async function takenOver(
  engine: Engine,
  partition: number,
  next: { readonly life: string; readonly processId: string },
): Promise<LifeRecord> {
  for (let tries = 0; ; tries += 1) {
    const begun = await engine.outages.riding('postgres', async () => {
      const before = await engine.store.lifeOf(partition);
      // The answer to an earlier try was lost: it is there.
      if (before?.life === next.life) return before;
      const taken = takeOver(before, { ...next, nowMs: engine.storeClock.nowMs() });
      return (await engine.store.saveLife(partition, taken)) ? taken : null;
    });
    if (begun !== null) return lifeRecord(engine, partition, begun);
    if (tries >= MAX_TRIES) throw new InvariantBroken(`task ${partition} could not be taken over`);
  }
}

async function leave(engine: Engine, partition: number, life: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = await engine.store.lifeOf(partition);
    const next = now === null ? null : sayGoodbye(now, life);
    if (next === null || (await engine.store.saveLife(partition, next))) return;
  }
}

async function nobodyAlone(records: Iterable<LifeRecord>): Promise<void> {
  for (const record of records) {
    if (record.current().alone === null) continue;
    await record.change((now) => ({ ...now, version: now.version + 1, alone: null })).catch(() => false);
  }
}

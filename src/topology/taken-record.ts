// A record on its way through its lane, once or again: it ends done, comes back when it is due or after a passing trouble, or stays with
// the log. Where a process died with its task, its way is a careful one.
import type { LogRecord } from '../broker/log.ts';
import type { Care } from './care.ts';
import { leaveAlone } from './dead-letters.ts';
import type { Engine } from './engine.ts';
import type { Source } from './graph.ts';
import type { Lanes } from './lanes.ts';
import type { RecordEnd } from './record-trouble.ts';
import { turnOf } from './record-turn.ts';
import type { Turn } from './turn.ts';
import type { Watermark } from './watermark.ts';

export interface Taken {
  readonly source: Source;
  readonly record: LogRecord;
  readonly laneKey: string;
  readonly watermark: Watermark;
}

export interface TakenDeps {
  readonly engine: Engine;
  readonly lanes: Pick<Lanes, 'run'>;
  readonly isClosed: () => boolean;
  /** Local clock, epoch ms. */
  readonly waitUntil: (localDueMs: number, taken: Taken) => void;
  readonly endOfRecord: (error: unknown, record: LogRecord) => Promise<RecordEnd>;
}

/** A record that met a passing trouble comes back after this. */
const AGAIN_MS = 1_000;

export function runTaken(deps: TakenDeps, care: Care | null, taken: Taken): void {
  const { engine, lanes } = deps;
  const { source, record, laneKey } = taken;
  const turn = () => turnOf(engine, source, record);
  if (care === null) {
    lanes.run(laneKey, () => ended(deps, taken, turn));
    return;
  }
  care.run({
    laneKey,
    timestampMs: record.timestampMs,
    handle: (prepare) =>
      ended(deps, taken, async () => {
        await prepare?.();
        return turn();
      }),
    refuse: (isDeadly, isFirst) =>
      ended(deps, taken, async () =>
        (await isDeadly()) ? leaveAlone(engine, record, isFirst || source.kind !== 'retry') : turn(),
      ),
  });
}

/** True when the record is done for good. Never rejects. */
async function ended(deps: TakenDeps, taken: Taken, work: () => Promise<Turn>): Promise<boolean> {
  const { engine, waitUntil } = deps;
  const { record, watermark } = taken;
  if (deps.isClosed()) return false;
  try {
    const turn = await work();
    if (turn.kind === 'not-due') {
      waitUntil(Math.ceil(turn.dueAtMs + engine.storeClock.skewMs()), taken);
      return false;
    }
    watermark.done(record.offset);
    return true;
  } catch (error) {
    const end = await deps.endOfRecord(error, record);
    if (end === 'done') watermark.done(record.offset);
    if (end === 'again') waitUntil(engine.clock.nowMs() + AGAIN_MS, taken);
    return end === 'done';
  }
}

// A record on its way through its lane: it ends done, is tried again on the spot after a passing trouble, comes back when it is due, or stays
// with the log. Nothing of a key overtakes a record of it that stays with the log: whoever reads that one next reads the others after it.
// Where a process died with its task, its way is a careful one.
import type { LogRecord } from '../broker/log.ts';
import { unreachable } from '../domain/unreachable.ts';
import { pause } from '../runtime/timers.ts';
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
  /** The keys of which a record stays with the log. */
  readonly left: Set<string>;
  /** Local clock, epoch ms. */
  readonly waitUntil: (localDueMs: number, taken: Taken) => void;
  readonly endOfRecord: (error: unknown, record: LogRecord) => Promise<RecordEnd>;
}

/** A record that met a passing trouble is tried again after this. */
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
  const { left } = deps;
  const { record, watermark, laneKey } = taken;
  while (!deps.isClosed() && !left.has(laneKey)) {
    const end = await endOf(deps, taken, work);
    switch (end) {
      case 'done':
        watermark.done(record.offset);
        return true;
      case 'waits':
        return false;
      case 'again':
        await pause(deps.engine.timers, AGAIN_MS, deps.engine.stopping);
        break;
      case 'left':
        left.add(laneKey);
        return false;
      default:
        return unreachable(end);
    }
  }
  return false;
}

async function endOf(
  { engine, waitUntil, endOfRecord }: TakenDeps,
  taken: Taken,
  work: () => Promise<Turn>,
): Promise<RecordEnd | 'waits'> {
  try {
    const turn = await work();
    if (turn.kind !== 'not-due') return 'done';
    waitUntil(Math.ceil(turn.dueAtMs + engine.storeClock.skewMs()), taken);
    return 'waits';
  } catch (error) {
    return endOfRecord(error, taken.record);
  }
}

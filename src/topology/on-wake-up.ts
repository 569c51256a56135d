// What a wake-up becomes. It decides nothing: still ahead → wait on without Postgres; else the row is the answer.
import type { LogRecord } from '../broker/log.ts';
import { planWakeUp } from '../domain/plan.ts';
import { afterTier, MAX_HEAP_WAIT_MS, tierFor } from '../domain/tiers.ts';
import { decodeRetryDue, type RetryDueInput } from '../streams/retry-due.ts';
import { advance } from './advance.ts';
import { quarantineRecord } from './dead-letters.ts';
import type { Engine } from './engine.ts';
import { produceWakeUp } from './obligations.ts';
import { loadStored } from './subject.ts';
import { DONE, type Turn } from './turn.ts';

export async function onWakeUp(engine: Engine, record: LogRecord): Promise<Turn> {
  const answer = await engine.schemas.decode(() => decodeRetryDue(engine.codec, record));
  if (answer.kind === 'violation') await quarantineRecord(engine, record, answer);
  if (answer.kind !== 'decoded') return DONE;
  const wakeUp = answer.value;
  const leftMs = wakeUp.dueAtMs - engine.storeClock.nowMs();
  switch (afterTier(leftMs)) {
    case 'heap':
      return { kind: 'not-due', dueAtMs: wakeUp.dueAtMs };
    case 'next-tier':
      return passOn(engine, wakeUp, leftMs);
    default:
      return wake(engine, wakeUp, -leftMs);
  }
}

/** A tier that would get its record again at once gave it back too soon: clocks differ. It rests here first, so nothing circles. */
async function passOn(engine: Engine, wakeUp: RetryDueInput, leftMs: number): Promise<Turn> {
  if (tierFor(engine.topics.tiers, leftMs).name === wakeUp.tier)
    return { kind: 'not-due', dueAtMs: engine.storeClock.nowMs() + MAX_HEAP_WAIT_MS };
  await produceWakeUp(engine, wakeUp);
  return DONE;
}

async function wake(engine: Engine, wakeUp: RetryDueInput, lateMs: number): Promise<Turn> {
  engine.metrics.observe('pin_retry_lateness_seconds', { tier: wakeUp.tier }, lateMs / 1_000);
  const stored = await loadStored(engine, wakeUp.notificationId);
  if (stored === null) return DONE;
  const turn = await advance(engine, { kind: 'stored', ...stored }, (subject, facts) =>
    subject.kind === 'stored'
      ? planWakeUp(subject.row, wakeUp.wakeSeq, facts)
      : { kind: 'drop', reason: 'final' },
  );
  if (turn.kind !== 'not-due' || afterTier(turn.dueAtMs - engine.storeClock.nowMs()) !== 'next-tier')
    return turn;
  // The row is due much later than the record says: the heap is for what is nearly due.
  await produceWakeUp(engine, { ...wakeUp, dueAtMs: turn.dueAtMs });
  return DONE;
}

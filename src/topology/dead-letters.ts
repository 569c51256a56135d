// Where an input that breaks its contract ends: requests on the dead letter topic with their original bytes, other inputs in table
// `quarantine`. Either way it is acknowledged before the record counts as done, and other keys go on.
import type { LogRecord } from '../broker/log.ts';
import { DEADLY_RECORD } from '../domain/deaths.ts';
import { isFault } from '../runtime/fault.ts';
import { deadLetterRecord } from '../streams/dead-letter.ts';
import type { Violation } from '../streams/decode-answer.ts';
import type { Engine } from './engine.ts';
import { produce } from './produce.ts';
import { DONE, type Turn } from './turn.ts';

export async function sendToDeadLetters(
  engine: Engine,
  record: LogRecord,
  why: Pick<Violation, 'reason' | 'detail'>,
): Promise<void> {
  try {
    await produce(engine, deadLetterRecord(engine.topics, record, why, engine.clock.nowMs()));
  } catch (error) {
    if (!isFault(error) || error.code !== 'LOG_RECORD_REFUSED') throw error;
    // The dead letter topic takes smaller records than the input does: the table keeps the bytes.
    return quarantineRecord(engine, record, why);
  }
  engine.metrics.increment('pin_dlq_total', { reason: why.reason });
  engine.logger.warn('record.dead-lettered', { reason: why.reason, detail: why.detail, ...whereOf(record) });
}

export async function quarantineRecord(
  engine: Engine,
  record: LogRecord,
  why: { readonly reason: string; readonly detail: string },
): Promise<void> {
  await engine.outages.riding('postgres', () =>
    engine.store.quarantine({
      reason: why.reason,
      detail: why.detail,
      topic: record.topic,
      partition: record.partition,
      offset: String(record.offset),
      key: record.key,
      value: record.value,
    }),
  );
  engine.metrics.increment('pin_quarantined_total', { reason: why.reason });
  engine.logger.warn('record.quarantined', { ...whereOf(record), reason: why.reason });
}

/** What killed three processes is not handled: its bytes are kept. Wake-ups repeat, and one of them says it. */
export async function leaveAlone(engine: Engine, record: LogRecord, isKept: boolean): Promise<Turn> {
  const detail = 'alone in flight when the third process in a row died';
  if (isKept) await quarantineRecord(engine, record, { reason: DEADLY_RECORD, detail });
  else engine.metrics.increment('pin_records_skipped_total', { topic: record.topic, reason: DEADLY_RECORD });
  return DONE;
}

function whereOf(record: LogRecord) {
  return { topic: record.topic, partition: record.partition, offset: record.offset };
}

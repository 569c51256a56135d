// What becomes of a record whose handling threw. A bug ends the processor; our machinery's refusal of one record ends that record in
// quarantine; a trouble that passes has it tried again in its lane; what the stop cut off stays with the log. No record is forgotten: one
// that is neither done nor tried again would hold the watermark of its partition for as long as the process lives.
import type { LogRecord } from '../broker/log.ts';
import { type Fault, isFault, messageOf } from '../runtime/fault.ts';
import { quarantineRecord } from './dead-letters.ts';
import type { Engine } from './engine.ts';
import { Stopped } from './outages.ts';

/** `done`: its bytes are in quarantine · `again`: tried again in its lane, a moment later · `left`: whoever reads it next takes it. */
export type RecordEnd = 'done' | 'again' | 'left';

export async function endOfRecord(
  engine: Engine,
  error: unknown,
  record: LogRecord,
  fail: (error: unknown) => void,
): Promise<RecordEnd> {
  if (error instanceof Stopped) return 'left';
  if (!isFault(error)) {
    fail(error);
    return 'left';
  }
  if (engine.stopping.aborted) return 'left';
  report(engine, error, record);
  if (error.retriable) return 'again';
  try {
    await quarantineRecord(engine, record, { reason: 'handling-failed', detail: error.code });
    return 'done';
  } catch (nested) {
    if (isFault(nested) && nested.retriable) return 'again';
    if (!(nested instanceof Stopped)) fail(nested);
    return 'left';
  }
}

function report(engine: Engine, error: Fault, { topic, partition, offset }: LogRecord): void {
  const facts = { topic, partition, offset, error_code: error.code, detail: messageOf(error) };
  if (error.retriable) engine.logger.warn('record.retried', facts);
  else engine.logger.error('record.failed', facts);
}

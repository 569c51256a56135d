// What becomes of a record whose handling threw. A bug ends the processor; our machinery's refusal of one record ends that record in
// quarantine; everything else stays with the log and comes again.
import type { LogRecord } from '../broker/log.ts';
import { isFault, messageOf } from '../runtime/fault.ts';
import { quarantineRecord } from './dead-letters.ts';
import type { Engine } from './engine.ts';
import { Stopped } from './outages.ts';

/** True: the record's bytes are in quarantine and it is done. */
export async function endsRecord(
  engine: Engine,
  error: unknown,
  record: LogRecord,
  fail: (error: unknown) => void,
): Promise<boolean> {
  if (error instanceof Stopped) return false;
  if (!isFault(error)) {
    fail(error);
    return false;
  }
  if (error.retriable || engine.stopping.aborted) return false;
  engine.logger.error('record.failed', {
    topic: record.topic,
    error_code: error.code,
    detail: messageOf(error),
  });
  try {
    await quarantineRecord(engine, record, { reason: 'handling-failed', detail: error.code });
    return true;
  } catch (nested) {
    if (!(nested instanceof Stopped)) fail(nested);
    return false;
  }
}

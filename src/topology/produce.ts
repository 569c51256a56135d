// Hands a record to the log. Work that must leave as a record is not over before the log has it: while the log does not answer, the
// work waits, up to the stop's limit; then it is left to the row and to whoever reads the input again.
import type { OutgoingRecord } from '../broker/log.ts';
import type { Engine } from './engine.ts';

/** Resolves when the log acknowledged `record`. @throws Fault LOG_RECORD_REFUSED, LOG_CLOSED; Stopped */
export async function produce(
  engine: Pick<Engine, 'producer' | 'outages'>,
  record: OutgoingRecord,
): Promise<void> {
  await engine.outages.riding('kafka', () => engine.producer.send(record), 'until-end');
}

// requested.v1.dlq: a record that broke the contract, original bytes and headers untouched, with the reason beside it.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import { isoTime } from '../runtime/clock.ts';
import type { Violation } from './decode-answer.ts';
import type { Topics } from './topics.ts';

/** Our headers replace earlier ones of the same name, so a record that is replayed and fails again does not grow. */
export function deadLetterRecord(
  topics: Topics,
  record: LogRecord,
  why: Pick<Violation, 'reason' | 'detail'>,
  atMs: number,
): OutgoingRecord {
  const ours: Readonly<Record<string, string>> = {
    'pin-dlq-reason': why.reason,
    'pin-dlq-detail': why.detail,
    'pin-origin-topic': record.topic,
    'pin-origin-partition': String(record.partition),
    'pin-origin-offset': String(record.offset),
    'pin-dlq-at': isoTime(atMs),
  };
  const headers = Object.entries(ours).map(([name, text]) => [name, Buffer.from(text)] as const);
  return {
    topic: topics.dlq,
    partition: null,
    key: record.key,
    value: record.value,
    headers: { ...record.headers, ...Object.fromEntries(headers) },
  };
}

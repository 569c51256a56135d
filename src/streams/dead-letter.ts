// requested.v1.dlq: a record that broke the contract, original bytes and headers untouched, with the reason beside it.
import type { Headers, LogRecord, OutgoingRecord } from '../broker/log.ts';
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

/** Where a dead letter came from, and its own headers without ours. The partition is null where it does not say one. */
export function originOfDeadLetter(letter: LogRecord): {
  readonly topic: string;
  readonly partition: number | null;
  readonly headers: Headers;
} {
  const text = (name: string) => Buffer.from(letter.headers[name] ?? []).toString('utf8');
  const partition = text('pin-origin-partition');
  return {
    topic: text('pin-origin-topic'),
    partition: /^\d{1,6}$/.test(partition) ? Number(partition) : null,
    headers: Object.fromEntries(Object.entries(letter.headers).filter(([name]) => !OURS.test(name))),
  };
}

const OURS = /^pin-(dlq-(reason|detail|at)|origin-(topic|partition|offset))$/;

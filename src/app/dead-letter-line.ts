// A dead letter as a list shows it: where it lies, why, and where it came from. No part of its value.
import type { LogRecord } from '../broker/log.ts';

export interface DeadLetterLine {
  /** `partition/offset` in the dead letter topic. */
  readonly place: string;
  readonly at: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly key: string | null;
  /** `topic/partition/offset` of the original. */
  readonly origin: string;
}

const MAX_KEY_CHARS = 64;

export function deadLetterOf(record: LogRecord): DeadLetterLine {
  const header = (name: string) => {
    const bytes = record.headers[name];
    return bytes === undefined ? null : printable(bytes);
  };
  const origin = ['topic', 'partition', 'offset'].map((part) => header(`pin-origin-${part}`) ?? '?');
  return {
    place: `${record.partition}/${record.offset}`,
    at: header('pin-dlq-at'),
    reason: header('pin-dlq-reason'),
    detail: header('pin-dlq-detail'),
    key: record.key === null ? null : printable(record.key).slice(0, MAX_KEY_CHARS),
    origin: origin.join('/'),
  };
}

/** Bytes of strangers on a terminal: no control characters. */
function printable(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').replace(/\p{C}/gu, '?');
}

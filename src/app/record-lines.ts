// A record of one of our topics as JSON: key and headers as text, the value as its schema says. Without being asked to, it shows no
// recipient, no body and no data: operators read these lines over each other's shoulders.
import type { LogRecord } from '../broker/log.ts';
import { isoTime } from '../runtime/clock.ts';
import type { Codec } from '../streams/codec.ts';
import type { Topics } from '../streams/topics.ts';

export interface RecordLine {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly time: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** null: an empty value, or one that cannot be read; then `problem` says why. */
  readonly value: unknown;
  readonly problem?: string;
}

/** Fields of a request that are the recipient's business only. */
const PRIVATE_FIELDS = ['recipient', 'body', 'data', 'inApp', 'attributes'] as const;

/** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function recordLine(
  deps: { readonly codec: Codec; readonly topics: Topics },
  record: LogRecord,
  withContent: boolean,
): Promise<RecordLine> {
  const { topic, partition, offset, timestampMs, key } = record;
  const plain = {
    topic,
    partition,
    offset,
    time: isoTime(timestampMs),
    key: textOf(key),
    headers: headersOf(record),
  };
  const contract = deps.topics.contracts.find((candidate) => candidate.topic === topic);
  // Dead letters are requests that broke their contract: many of them can be read all the same.
  const schema = contract?.schema ?? 'notification-requested';
  const answer = await deps.codec.decode(schema, record.value);
  switch (answer.kind) {
    case 'decoded':
      return { ...plain, value: withContent ? answer.value : withoutContent(answer.value) };
    case 'violation':
      return {
        ...plain,
        value: withContent ? base64(record.value) : null,
        problem: `${answer.reason}: ${answer.detail}`,
      };
    case 'skipped':
      return { ...plain, value: null, problem: answer.reason };
  }
}

function withoutContent(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const hidden = PRIVATE_FIELDS.filter(
    (field) => (value as Readonly<Record<string, unknown>>)[field] != null,
  );
  return { ...value, ...Object.fromEntries(hidden.map((field) => [field, '***'])) };
}

function headersOf(record: LogRecord): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record.headers).map(([name, bytes]) => [name, textOf(bytes) ?? '']),
  );
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

function base64(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('base64');
}

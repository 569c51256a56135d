// Records as kafkajs has them and as the port has them. Bytes are shared, not copied; a header given several times keeps its last value.
// Runs for every record, hence the plain loops.
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import type { Headers, LogRecord, OutgoingRecord, TopicPartition } from '../log.ts';

const NO_BYTES = new Uint8Array(0);
const RECORD_OVERHEAD_BYTES = 24;
const HEADER_OVERHEAD_BYTES = 8;

export function recordOf(at: TopicPartition, message: KafkaMessage): LogRecord {
  return {
    topic: at.topic,
    partition: at.partition,
    offset: Number(message.offset),
    timestampMs: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: headersOf(message.headers ?? {}),
  };
}

export function messageOfRecord(record: OutgoingRecord, partition: number): Message & { partition: number } {
  const headers: IHeaders = {};
  for (const [name, value] of Object.entries(record.headers)) headers[name] = bufferOf(value);
  return {
    partition,
    key: record.key === null ? null : bufferOf(record.key),
    value: record.value === null ? null : bufferOf(record.value),
    headers,
  };
}

/** Bytes that a record takes on the wire, a little overestimated. */
export function bytesOf({ key, value, headers }: OutgoingRecord): number {
  let bytes = RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, header] of Object.entries(headers))
    bytes += HEADER_OVERHEAD_BYTES + 3 * name.length + header.length;
  return bytes;
}

function headersOf(headers: IHeaders): Headers {
  return areSingle(headers) ? headers : Object.fromEntries(Object.entries(headers).map(lastOf));
}

function areSingle(headers: IHeaders): headers is Record<string, Buffer> {
  for (const value of Object.values(headers)) if (!Buffer.isBuffer(value)) return false;
  return true;
}

function lastOf([name, value]: [string, IHeaders[string]]): [string, Uint8Array] {
  const last = Array.isArray(value) ? value.at(-1) : value;
  if (last === undefined || last === null) return [name, NO_BYTES];
  return [name, typeof last === 'string' ? Buffer.from(last) : last];
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

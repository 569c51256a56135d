// Records as kafkajs has them and as the port has them. Bytes are shared, not copied; a header given several times keeps its last value.
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import type { Headers, LogRecord, OutgoingRecord, TopicPartition } from '../log.ts';

const NO_BYTES = new Uint8Array(0);

export function recordOf(at: TopicPartition, message: KafkaMessage): LogRecord {
  return {
    topic: at.topic,
    partition: at.partition,
    offset: Number(message.offset),
    timestampMs: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: headersOf(message.headers),
  };
}

export function messageOfRecord(record: OutgoingRecord, partition: number): Message {
  const headers = Object.entries(record.headers).map(([name, value]) => [name, bufferOf(value)] as const);
  return {
    partition,
    key: record.key === null ? null : bufferOf(record.key),
    value: record.value === null ? null : bufferOf(record.value),
    headers: Object.fromEntries(headers),
  };
}

/** Bytes that a record takes on the wire, a little overestimated. */
export function bytesOf(record: OutgoingRecord): number {
  let bytes = RECORD_OVERHEAD_BYTES + (record.key?.length ?? 0) + (record.value?.length ?? 0);
  for (const [name, value] of Object.entries(record.headers))
    bytes += HEADER_OVERHEAD_BYTES + Buffer.byteLength(name) + value.length;
  return bytes;
}

const RECORD_OVERHEAD_BYTES = 24;
const HEADER_OVERHEAD_BYTES = 8;

function headersOf(headers: IHeaders | undefined): Headers {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, lastBytes(value)]));
}

function lastBytes(value: IHeaders[string]): Uint8Array {
  const last = Array.isArray(value) ? value.at(-1) : value;
  if (last === undefined || last === null) return NO_BYTES;
  return typeof last === 'string' ? Buffer.from(last) : last;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

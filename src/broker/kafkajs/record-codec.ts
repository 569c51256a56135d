// One record of a batch to bytes and back (Kafka's record format, magic 2), in place of kafkajs' own: that allocates half a kilobyte for
// each header and copies the headers' object once per header: 32 µs of CPU a record with seven headers, against 6 (measured on a busy machine).
// It promises the same bytes and the same objects as the package's codec. It never looks at what the bytes mean.

import {
  readInt,
  readLong,
  sizeOfInt,
  sizeOfLong,
  type VarintReader,
  writeInt,
  writeLong,
} from './varints.ts';

/** What kafkajs hands over for each message of a batch. */
export interface EncodableRecord {
  readonly offsetDelta?: number;
  readonly timestampDelta?: number;
  readonly key?: Buffer | string | null;
  readonly value?: Buffer | string | null;
  readonly headers?: Readonly<Record<string, HeaderValue | HeaderValue[]>>;
}
type HeaderValue = Buffer | string;

/** The shape that kafkajs' encoder copies from. */
export interface EncodedRecord {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}

export interface BatchContext {
  readonly firstOffset?: string;
  readonly firstTimestamp?: string;
  readonly maxTimestamp?: string;
  readonly magicByte?: number;
  readonly isControlBatch?: boolean;
  readonly timestampType?: number;
}

const LOG_APPEND_TIME = 1;
const NULL_LENGTH = -1;

/** Written once, read by the batch's encoder right after; `allocUnsafe` takes it from Node's pool. */
export function encodeRecord(record: EncodableRecord): EncodedRecord {
  const { offsetDelta = 0, timestampDelta = 0, key, value } = record;
  const headers = listed(record.headers ?? {});
  let body = 1 + sizeOfLong(timestampDelta) + sizeOfInt(offsetDelta) + sizeOfBytes(key) + sizeOfBytes(value);
  body += sizeOfInt(headers.length);
  for (const [name, header] of headers) body += sizeOfBytes(name) + sizeOfBytes(header);
  const buffer = Buffer.allocUnsafe(sizeOfInt(body) + body);
  let at = writeInt(buffer, 0, body);
  buffer[at++] = 0;
  at = writeLong(buffer, at, timestampDelta);
  at = writeInt(buffer, at, offsetDelta);
  at = writeBytes(buffer, at, key);
  at = writeBytes(buffer, at, value);
  at = writeInt(buffer, at, headers.length);
  for (const [name, header] of headers) at = writeBytes(buffer, writeBytes(buffer, at, name), header);
  return { buf: buffer, buffer };
}

/** `decoder` stands at the start of a record of its own. */
export function decodeRecord(decoder: { readonly buffer: Buffer }, context: BatchContext = {}) {
  const reader = { buffer: decoder.buffer, at: 1 };
  const timestampDelta = readLong(reader);
  const isAppendTime = context.timestampType === LOG_APPEND_TIME && Boolean(context.maxTimestamp);
  const timestamp = isAppendTime ? context.maxTimestamp : plus(context.firstTimestamp, timestampDelta);
  const offset = plus(context.firstOffset, BigInt(readInt(reader)));
  const key = readBytes(reader);
  const value = readBytes(reader);
  return {
    magicByte: context.magicByte,
    attributes: decoder.buffer.readInt8(0),
    timestamp,
    offset,
    key,
    value,
    headers: readHeaders(reader),
    isControlRecord: context.isControlBatch ?? false,
    batchContext: context,
  };
}

type Listed = readonly (readonly [name: string, value: HeaderValue])[];

function listed(headers: NonNullable<EncodableRecord['headers']>): Listed {
  const list: [string, HeaderValue][] = [];
  for (const name of Object.keys(headers)) {
    const given = headers[name];
    if (Array.isArray(given)) for (const value of given) list.push([name, value]);
    else if (given !== undefined) list.push([name, given]);
  }
  return list;
}

function readHeaders(reader: VarintReader): Record<string, Buffer | null | (Buffer | null)[]> {
  const headers: Record<string, Buffer | null | (Buffer | null)[]> = {};
  for (let left = readInt(reader); left > 0; left -= 1) {
    const name = readBytes(reader)?.toString('utf8') ?? '';
    const value = readBytes(reader);
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (before === undefined) define(headers, name, value);
    else if (Array.isArray(before)) before.push(value);
    else headers[name] = [before, value];
  }
  return headers;
}

/** A header may be called `__proto__`. */
function define(headers: object, name: string, value: unknown): void {
  if (name !== '__proto__') (headers as Record<string, unknown>)[name] = value;
  else Object.defineProperty(headers, name, { value, enumerable: true, writable: true, configurable: true });
}

function plus(base: string | undefined, delta: bigint | number): string {
  const sum = Number(base ?? 0) + Number(delta);
  return Number.isSafeInteger(sum) ? String(sum) : String(BigInt(base ?? 0) + BigInt(delta));
}

function sizeOfBytes(bytes: Buffer | string | null | undefined): number {
  if (bytes === null || bytes === undefined) return sizeOfInt(NULL_LENGTH);
  const length = Buffer.byteLength(bytes);
  return sizeOfInt(length) + length;
}

function writeBytes(buffer: Buffer, start: number, bytes: Buffer | string | null | undefined): number {
  if (bytes === null || bytes === undefined) return writeInt(buffer, start, NULL_LENGTH);
  const length = Buffer.byteLength(bytes);
  const at = writeInt(buffer, start, length);
  if (typeof bytes === 'string') buffer.write(bytes, at, length, 'utf8');
  else bytes.copy(buffer, at);
  return at + length;
}

function readBytes(reader: VarintReader): Buffer | null {
  const length = readInt(reader);
  if (length === NULL_LENGTH) return null;
  const end = reader.at + length;
  const bytes = reader.buffer.subarray(reader.at, end);
  reader.at = end;
  return bytes;
}

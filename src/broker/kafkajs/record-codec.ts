// One record of a batch to bytes and back (Kafka's record format, magic 2), in place of kafkajs' own: that allocates half a kilobyte for
// each header and copies the headers' object once per header, which costs more than everything else a produce does.
// It promises the same bytes and the same objects as the package's codec. It never looks at what the bytes mean.

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
const CONTINUES = 0x80;
const SEVEN_BITS = 0x7f;
const MAX_INT_BITS = 0x7fff_ffff;
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

interface Reader {
  readonly buffer: Buffer;
  at: number;
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

function readHeaders(reader: Reader): Record<string, Buffer | null | (Buffer | null)[]> {
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

function sizeOfInt(value: number): number {
  let zigzag = ((value << 1) ^ (value >> 31)) >>> 0;
  let bytes = 1;
  for (; zigzag >= CONTINUES; zigzag >>>= 7) bytes += 1;
  return bytes;
}

function writeInt(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let zigzag = ((value << 1) ^ (value >> 31)) >>> 0;
  for (; zigzag >= CONTINUES; zigzag >>>= 7) buffer[at++] = (zigzag & SEVEN_BITS) | CONTINUES;
  buffer[at++] = zigzag;
  return at;
}

function isShort(value: number): boolean {
  return value >= 0 && value <= MAX_INT_BITS >> 1;
}

function sizeOfLong(value: number): number {
  if (isShort(value)) return sizeOfInt(value);
  let bytes = 1;
  for (let rest = zigzag64(value); rest >= 0x80n; rest >>= 7n) bytes += 1;
  return bytes;
}

function writeLong(buffer: Buffer, start: number, value: number): number {
  if (isShort(value)) return writeInt(buffer, start, value);
  let at = start;
  let rest = zigzag64(value);
  for (; rest >= 0x80n; rest >>= 7n) buffer[at++] = Number(rest & 0x7fn) | CONTINUES;
  buffer[at++] = Number(rest);
  return at;
}

function zigzag64(value: number): bigint {
  const wide = BigInt(value);
  return BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n));
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

function readInt(reader: Reader): number {
  let result = 0;
  let shift = 0;
  let byte: number;
  do {
    byte = reader.buffer[reader.at++] ?? 0;
    result += (byte & SEVEN_BITS) << shift;
    shift += 7;
  } while (byte >= CONTINUES);
  return (result >>> 1) ^ -(result & 1);
}

const MAX_SHORT_LONG_BYTES = 4;
const MAX_LONG_BYTES = 10;

function readLong(reader: Reader): bigint | number {
  const start = reader.at;
  for (let count = 0; count < MAX_SHORT_LONG_BYTES; count += 1)
    if ((reader.buffer[start + count] ?? 0) < CONTINUES) return readInt(reader);
  let result = 0n;
  for (let count = 0; count < MAX_LONG_BYTES; count += 1) {
    const byte = reader.buffer[reader.at++] ?? 0;
    result += BigInt(byte & SEVEN_BITS) << BigInt(7 * count);
    if (byte < CONTINUES) break;
  }
  return BigInt.asIntN(64, (result >> 1n) ^ -(result & 1n));
}

function readBytes(reader: Reader): Buffer | null {
  const length = readInt(reader);
  if (length === NULL_LENGTH) return null;
  const end = reader.at + length;
  const bytes = reader.buffer.subarray(reader.at, end);
  reader.at = end;
  return bytes;
}

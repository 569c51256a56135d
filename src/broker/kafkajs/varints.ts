// Kafka's variable-length integers: zigzag, seven bits a byte. Small numbers, nearly all of them, take no BigInt. No bounds are checked:
// what is read was framed by the package, what is written has its size asked first.

export interface VarintReader {
  readonly buffer: Buffer;
  at: number;
}

const CONTINUES = 0x80;
const SEVEN_BITS = 0x7f;
const MAX_INT_BITS = 0x7fff_ffff;

export function sizeOfInt(value: number): number {
  let zigzag = ((value << 1) ^ (value >> 31)) >>> 0;
  let bytes = 1;
  for (; zigzag >= CONTINUES; zigzag >>>= 7) bytes += 1;
  return bytes;
}

export function writeInt(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let zigzag = ((value << 1) ^ (value >> 31)) >>> 0;
  for (; zigzag >= CONTINUES; zigzag >>>= 7) buffer[at++] = (zigzag & SEVEN_BITS) | CONTINUES;
  buffer[at++] = zigzag;
  return at;
}

function isShort(value: number): boolean {
  return value >= 0 && value <= MAX_INT_BITS >> 1;
}

export function sizeOfLong(value: number): number {
  if (isShort(value)) return sizeOfInt(value);
  let bytes = 1;
  for (let rest = zigzag64(value); rest >= 0x80n; rest >>= 7n) bytes += 1;
  return bytes;
}

export function writeLong(buffer: Buffer, start: number, value: number): number {
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

export function readInt(reader: VarintReader): number {
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

export function readLong(reader: VarintReader): bigint | number {
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

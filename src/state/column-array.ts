// Columns of many rows as Postgres arrays in the binary format: the cheapest way to hand a flush over (no quoting, no parsing).
// It promises: what Postgres could not store is refused here by the same name. It never cuts or repairs a value.

/** An array type: its SQL name, and the oid of its elements. */
const ARRAY_TYPES = {
  bool: 16,
  int4: 23,
  float8: 701,
  text: 25,
  uuid: 2950,
  jsonb: 3802,
  timestamptz: 1184,
} as const;
export type ArrayType = keyof typeof ARRAY_TYPES;

/** `timestamptz` takes epoch milliseconds, `jsonb` takes JSON text. */
export type Cell = string | number | boolean | null;

/** A value that no column of its type can hold: the row's fault, as if Postgres had refused it. */
export class UnstorableValue extends Error {
  constructor(type: ArrayType) {
    super(`invalid ${type} value`);
    this.name = 'UnstorableValue';
  }
}

const HEADER_BYTES = 20;
const EMPTY_HEADER_BYTES = 12;
const NULL_LENGTH = -1;
/** Postgres counts microseconds from 2000-01-01T00:00:00Z. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const MICROS_PER_MS = 1_000;
const TWO_TO_32 = 4_294_967_296;
const MAX_INT4 = 2_147_483_647;
const JSONB_VERSION = 1;

const DASHES_AT = [8, 13, 18, 23];
const DIGIT_PAIRS_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const NO_DIGIT = 255;
/** By character code; both cases. */
const HEX_VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? NO_DIGIT : value;
});

/** @throws UnstorableValue */
export function encodeArray(type: ArrayType, cells: readonly Cell[]): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + sizeOf(type, cells));
  // Dimensions, whether there are nulls, element type, length, lower bound. An empty array has no dimension.
  buffer.writeInt32BE(cells.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(ARRAY_TYPES[type], 8);
  if (cells.length === 0) return buffer.subarray(0, EMPTY_HEADER_BYTES);
  buffer.writeInt32BE(cells.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const cell of cells) at = writeElement(buffer, at, type, cell);
  return buffer.subarray(0, at);
}

/** Enough bytes; text is the only type whose size varies (a character is at most 3 bytes per UTF-16 unit). */
function sizeOf(type: ArrayType, cells: readonly Cell[]): number {
  if (type !== 'text' && type !== 'jsonb') return cells.length * 20;
  let bytes = cells.length * 5;
  for (const cell of cells) if (typeof cell === 'string') bytes += cell.length * 3;
  return bytes;
}

/** Its length, then its bytes; a null is a length of -1. */
function writeElement(buffer: Buffer, at: number, type: ArrayType, cell: Cell): number {
  if (cell === null) return buffer.writeInt32BE(NULL_LENGTH, at);
  const end = writeCell(buffer, at + 4, type, cell);
  buffer.writeInt32BE(end - at - 4, at);
  return end;
}

/** Writes the bytes of one element and returns where they end. */
function writeCell(buffer: Buffer, at: number, type: ArrayType, cell: Cell): number {
  switch (type) {
    case 'bool':
      return buffer.writeUInt8(cell === true ? 1 : 0, at);
    case 'int4':
      if (!Number.isInteger(cell) || Math.abs(cell as number) > MAX_INT4) throw new UnstorableValue(type);
      return buffer.writeInt32BE(cell as number, at);
    case 'float8':
      return buffer.writeDoubleBE(cell as number, at);
    case 'text':
      return at + buffer.write(cell as string, at);
    case 'jsonb':
      return buffer.writeUInt8(JSONB_VERSION, at) + buffer.write(cell as string, at + 1);
    case 'uuid':
      return writeUuid(buffer, at, cell as string);
    case 'timestamptz':
      return writeTime(buffer, at, cell as number);
  }
}

/** Digit by digit: there are three in every row, and `write(…, 'hex')` needs a copy without dashes. */
function writeUuid(buffer: Buffer, at: number, uuid: string): number {
  let isUuid = uuid.length === 36 && DASHES_AT.every((dash) => uuid[dash] === '-');
  let end = at;
  for (const pair of DIGIT_PAIRS_AT) {
    const high = HEX_VALUES[uuid.charCodeAt(pair)] ?? NO_DIGIT;
    const low = HEX_VALUES[uuid.charCodeAt(pair + 1)] ?? NO_DIGIT;
    isUuid &&= high !== NO_DIGIT && low !== NO_DIGIT;
    buffer[end] = high * 16 + low;
    end += 1;
  }
  if (!isUuid) throw new UnstorableValue('uuid');
  return end;
}

function writeTime(buffer: Buffer, at: number, epochMs: number): number {
  if (!Number.isFinite(epochMs)) throw new UnstorableValue('timestamptz');
  const micros = (epochMs - POSTGRES_EPOCH_MS) * MICROS_PER_MS;
  const high = Math.floor(micros / TWO_TO_32);
  buffer.writeInt32BE(high, at);
  return buffer.writeUInt32BE(micros - high * TWO_TO_32, at + 4);
}

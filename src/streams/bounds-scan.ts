// Walks Avro bytes by their writer schema before the decoder sees them. A few bytes can announce a block of 2^50 items, and the decoder
// would believe them until the process dies; so every count, length, index and block size is compared with the bytes that are left.
// It promises: linear time, no allocation, no exception. What it calls exact, the decoder reads to the same last byte.
import { isUtf8 } from 'node:buffer';
import type { Type, types } from 'avsc';

export type ScanAnswer = 'exact' | 'malformed' | 'too-many-values';
export type BoundsScan = (bytes: Buffer, start: number) => ScanAnswer;

/** Values of one record, those without a width (null, empty records) included. */
export const MAX_VALUES = 100_000;
/** Records, arrays, maps and unions inside each other. */
export const MAX_DEPTH = 64;

const MAX_VARINT_BYTES = 10;
const SHORT_TEXT_BYTES = 48;

interface Cursor {
  readonly bytes: Buffer;
  pos: number;
  values: number;
  /** The last long read. */
  long: number;
}

type Step = (at: Cursor, depth: number) => boolean;

export function boundsScan(type: Type): BoundsScan {
  const step = stepOf(type, new Map());
  return (bytes, start) => {
    const at: Cursor = { bytes, pos: start, values: 0, long: 0 };
    const isWhole = step(at, 0);
    if (at.values > MAX_VALUES) return 'too-many-values';
    return isWhole && at.pos === bytes.length ? 'exact' : 'malformed';
  };
}

/** `known` closes the circle of recursive types. */
function stepOf(type: Type, known: Map<Type, Step>): Step {
  const made = known.get(type);
  if (made !== undefined) return made;
  let inner: Step = () => false;
  const counted: Step = (at, depth) => {
    at.values += 1;
    return at.values <= MAX_VALUES && depth <= MAX_DEPTH && inner(at, depth + 1);
  };
  known.set(type, counted);
  inner = innerStep(type, known);
  return counted;
}

function innerStep(type: Type, known: Map<Type, Step>): Step {
  switch (type.typeName) {
    case 'null':
      return () => true;
    case 'boolean':
      return (at) => skip(at, 1);
    case 'int':
    case 'long':
      return readLong;
    case 'float':
      return (at) => skip(at, 4);
    case 'double':
      return (at) => skip(at, 8);
    case 'bytes':
      return (at) => readLong(at) && skip(at, at.long);
    case 'string':
      return text;
    case 'fixed': {
      const { size } = type as types.FixedType;
      return (at) => skip(at, size);
    }
    case 'enum':
      return index((type as types.EnumType).symbols.length);
    case 'record':
    case 'error':
      return record((type as types.RecordType).fields.map((field) => stepOf(field.type, known)));
    case 'array':
      return blocks(stepOf((type as types.ArrayType).itemsType, known));
    case 'map':
      return blocks(entry(stepOf((type as types.MapType).valuesType as Type, known)));
    case 'union:unwrapped':
    case 'union:wrapped':
      return union((type as types.WrappedUnionType).types.map((branch) => stepOf(branch, known)));
    default:
      return () => false;
  }
}

function skip(at: Cursor, count: number): boolean {
  if (count < 0 || count > at.bytes.length - at.pos) return false;
  at.pos += count;
  return true;
}

/** Zigzag varint into `at.long`. Beyond 2^53 the number is rounded, which no bound below lets pass. */
function readLong(at: Cursor): boolean {
  let raw = 0;
  let scale = 1;
  for (let read = 0; read < MAX_VARINT_BYTES; read += 1) {
    const byte = at.bytes[at.pos];
    if (byte === undefined) return false;
    at.pos += 1;
    raw += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      at.long = raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
      return true;
    }
    scale *= 128;
  }
  return false;
}

function text(at: Cursor): boolean {
  if (!readLong(at)) return false;
  const start = at.pos;
  return skip(at, at.long) && isText(at.bytes, start, at.pos);
}

function isText(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > SHORT_TEXT_BYTES) return isUtf8(bytes.subarray(start, end));
  for (let i = start; i < end; i += 1) {
    if ((bytes[i] ?? 0) >= 0x80) return isUtf8(bytes.subarray(start, end));
  }
  return true;
}

function index(count: number): Step {
  return (at) => readLong(at) && at.long >= 0 && at.long < count;
}

function union(branches: readonly Step[]): Step {
  return (at, depth) => {
    if (!readLong(at)) return false;
    const branch = branches[at.long];
    return branch?.(at, depth) ?? false;
  };
}

function record(fields: readonly Step[]): Step {
  return (at, depth) => {
    for (const field of fields) if (!field(at, depth)) return false;
    return true;
  };
}

function entry(value: Step): Step {
  return (at, depth) => text(at) && value(at, depth);
}

function blocks(item: Step): Step {
  return (at, depth) => {
    while (readLong(at)) {
      if (at.long === 0) return true;
      if (!block(item, at, depth)) return false;
    }
    return false;
  };
}

/** One block, whose count is in `at.long`. A negative one is followed by the block's size, which the decoder may jump by: it must be true. */
function block(item: Step, at: Cursor, depth: number): boolean {
  const count = Math.abs(at.long);
  const isSized = at.long < 0;
  if (isSized && !readLong(at)) return false;
  const end = at.pos + at.long;
  for (let i = 0; i < count; i += 1) if (!item(at, depth)) return false;
  return !isSized || at.pos === end;
}

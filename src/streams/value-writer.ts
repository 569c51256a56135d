// Encodes values into one scratch buffer that is kept between calls, and hands out copies of what was written.
import type { Type } from 'avsc';
import { Fault, invariant } from '../runtime/fault.ts';
import { FRAME_BYTES, MAX_VALUE_BYTES, writeFrame } from './framing.ts';

/** @throws Fault VALUE_TOO_LARGE (not retriable) */
export type ValueWriter = (type: Type, schemaId: number, value: object) => Buffer;

const FIRST_SCRATCH_BYTES = 16_384;

export function valueWriter(): ValueWriter {
  let scratch = Buffer.allocUnsafeSlow(FIRST_SCRATCH_BYTES);
  return (type, schemaId, value) => {
    let end = encodeInto(scratch, type, value);
    if (end < 0) {
      const neededBytes = scratch.length - end;
      if (neededBytes > MAX_VALUE_BYTES) throw tooLarge(type, neededBytes);
      scratch = Buffer.allocUnsafeSlow(neededBytes);
      end = encodeInto(scratch, type, value);
    }
    writeFrame(scratch, schemaId);
    return Buffer.from(scratch.subarray(0, end));
  };
}

/** The end of the value, or minus the number of bytes that did not fit. */
function encodeInto(scratch: Buffer, type: Type, value: object): number {
  try {
    return type.encode(value, scratch, FRAME_BYTES);
  } catch {
    // The encoder's own message quotes the value, which may be a recipient or a body: say where instead.
    invariant(false, `no value of ${type.name}: ${brokenPaths(type, value)}`);
  }
}

function brokenPaths(type: Type, value: object): string {
  const paths: string[] = [];
  type.isValid(value, { errorHook: (path) => void paths.push(path.join('.')) });
  return paths.join(', ');
}

function tooLarge(type: Type, bytes: number): Fault {
  return new Fault('VALUE_TOO_LARGE', `${type.name}: ${bytes} bytes, more than ${MAX_VALUE_BYTES}`, {
    retriable: false,
  });
}

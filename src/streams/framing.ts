// Confluent framing: one zero byte, the schema id as a big-endian 32-bit integer, then the Avro binary value.
import type { Violation } from './decode-answer.ts';
import { violation } from './decode-answer.ts';

export const FRAME_BYTES = 5;
const MAGIC = 0;

/** A value longer than this, framing included, is refused unread. */
export const MAX_VALUE_BYTES = 1_048_576;

export interface Framed {
  readonly kind: 'framed';
  readonly schemaId: number;
  readonly bytes: Buffer;
}

/** Looks at the frame only. Ids that no registry gives (0 and below) are unknown without asking. */
export function unframe(value: Uint8Array | null): Framed | Violation {
  if (value === null || value.length === 0) return violation('undecodable', 'the record has no value');
  if (value.length > MAX_VALUE_BYTES) {
    return violation('oversized', `${value.length} bytes, more than ${MAX_VALUE_BYTES}`);
  }
  if (value[0] !== MAGIC) return violation('bad-magic', 'the value does not start with the magic byte 0');
  if (value.length < FRAME_BYTES) return violation('undecodable', 'the value ends inside its frame');
  const bytes = Buffer.isBuffer(value)
    ? value
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const schemaId = bytes.readInt32BE(1);
  if (schemaId <= 0) return violation('unknown-schema', `schema id ${schemaId} cannot exist`);
  return { kind: 'framed', schemaId, bytes };
}

export function writeFrame(target: Buffer, schemaId: number): void {
  target.writeUInt8(MAGIC, 0);
  target.writeInt32BE(schemaId, 1);
}

// One writer schema read as one of ours: parsed once, kept as a bounds scan, a type and a resolver.
// Parsing costs hundreds of microseconds and reading about one, so readers are cached by whoever asks for them.
import avro, { type Type } from 'avsc';
import { boundsScan } from './bounds-scan.ts';
import type { DecodeAnswer } from './decode-answer.ts';
import { violation } from './decode-answer.ts';
import { FRAME_BYTES } from './framing.ts';

/** Reads the bytes after the frame. Never throws. */
export type ValueReader = (bytes: Buffer) => DecodeAnswer<unknown>;

/** Schemas longer than this are not parsed. */
const MAX_SCHEMA_CHARS = 262_144;

export function typeOf(schema: string): Type {
  return avro.Type.forSchema(JSON.parse(schema) as Parameters<typeof avro.Type.forSchema>[0]);
}

/** A reader for what `writerSchema` wrote; one that answers `undecodable` when the schema is no Avro or does not resolve to `reader`. */
export function valueReader(reader: Type, writerSchema: string, schemaId: number): ValueReader {
  try {
    return resolvingReader(reader, writerSchema, schemaId);
  } catch {
    const answer = violation('undecodable', `schema ${schemaId} does not resolve to ${reader.name}`);
    return () => answer;
  }
}

function resolvingReader(reader: Type, writerSchema: string, schemaId: number): ValueReader {
  if (writerSchema.length > MAX_SCHEMA_CHARS) throw new RangeError('schema too long');
  const writer = typeOf(writerSchema);
  const resolver = reader.createResolver(writer);
  const scan = boundsScan(writer);
  const malformed = violation('undecodable', `the bytes are not a value of schema ${schemaId}`);
  const tooMany = violation('oversized', `the value has too many parts (schema ${schemaId})`);
  return (bytes) => {
    const scanned = scan(bytes, FRAME_BYTES);
    if (scanned !== 'exact') return scanned === 'malformed' ? malformed : tooMany;
    try {
      const decoded: { readonly value: unknown; readonly offset: number } = reader.decode(
        bytes,
        FRAME_BYTES,
        resolver,
      );
      return decoded.offset === bytes.length ? { kind: 'decoded', value: decoded.value } : malformed;
    } catch {
      // A long beyond 2^53, or an enum symbol that the reader has no default for.
      return malformed;
    }
  };
}

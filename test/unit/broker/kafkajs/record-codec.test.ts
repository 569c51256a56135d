import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BatchContext,
  decodeRecord,
  type EncodableRecord,
  encodeRecord,
} from '../../../../src/broker/kafkajs/record-codec.ts';

const load = createRequire(import.meta.url);
const RECORD = 'kafkajs/src/protocol/recordBatch/record/v0';

/** The package's own, even where this process uses ours. */
function original<T>(path: string): T {
  const file = load.resolve(path);
  const exchanged = load.cache[file];
  delete load.cache[file];
  const own = load(path) as T;
  if (exchanged !== undefined) load.cache[file] = exchanged;
  return own;
}

const theirEncode = original<(record: EncodableRecord) => { buffer: Buffer }>(RECORD);
const theirDecode = original<(decoder: object, context: BatchContext) => object>(`${RECORD}/decoder`);
const Decoder = load('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => { readVarIntBytes(): Buffer };

const bytes = fc.uint8Array({ maxLength: 300 }).map((list) => Buffer.from(list));
const headerValue = fc.oneof(bytes, fc.string({ maxLength: 40 }));
const records = fc.record({
  offsetDelta: fc.nat({ max: 0x3fff_ffff }),
  timestampDelta: fc.oneof(fc.nat({ max: 5_000 }), fc.maxSafeInteger()),
  key: fc.option(bytes, { nil: null }),
  value: fc.option(fc.oneof(bytes, fc.string()), { nil: null }),
  headers: fc.dictionary(
    // The package takes what every object inherits for a header that came before.
    fc.string({ maxLength: 20 }).filter((name) => !(name in {})),
    fc.oneof(headerValue, fc.array(headerValue, { maxLength: 3 })),
  ),
});
const contexts = fc.record({
  firstOffset: fc.maxSafeNat().map(String),
  firstTimestamp: fc.maxSafeNat().map(String),
  maxTimestamp: fc.maxSafeNat().map(String),
  magicByte: fc.constant(2),
  isControlBatch: fc.boolean(),
  timestampType: fc.constantFrom(0, 1),
});

describe('the record codec', () => {
  test('writes the bytes that the package writes', () => {
    fc.assert(
      fc.property(records, (record) => {
        expect(encodeRecord(record).buffer.equals(theirEncode(record).buffer)).toBe(true);
      }),
    );
  });

  test('reads what the package reads', () => {
    fc.assert(
      fc.property(records, contexts, (record, context) => {
        const body = new Decoder(encodeRecord(record).buffer).readVarIntBytes();
        expect(decodeRecord(new Decoder(body) as unknown as { buffer: Buffer }, context)).toEqual(
          theirDecode(new Decoder(body), context),
        );
      }),
    );
  });

  test('keeps a header of any name as a property of its own', () => {
    const named = JSON.parse('{"__proto__": "x", "constructor": "y"}') as Record<string, string>;
    const body = new Decoder(encodeRecord({ headers: named }).buffer).readVarIntBytes();
    const { headers } = decodeRecord({ buffer: body });
    expect(Object.keys(headers).sort()).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  test('is what the client of this process encodes with', async () => {
    await import('../../../../src/broker/kafkajs/client-package.ts');
    expect(load(RECORD)).toBe(encodeRecord);
    expect(load(`${RECORD}/decoder`)).toBe(decodeRecord);
  });
});

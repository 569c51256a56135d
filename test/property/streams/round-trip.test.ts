// What is encoded is read back the same, by our reader and by every reader that meets the bytes later.
import avro from 'avsc';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundsScan } from '../../../src/streams/bounds-scan.ts';
import { decodeRequested, encodeRequest, requestProblem } from '../../../src/streams/requested.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import { aCodec, received } from '../../unit/streams/a-codec.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const time = fc.integer({ min: 978_307_200_000, max: 4_102_444_800_000 });
const map = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  text,
  { maxKeys: 8, noNullPrototype: true },
);

const request = fc
  .record({
    recipient: text,
    tenantId: maybe(text),
    data: map,
    attributes: map,
    body: maybe(fc.record({ subject: maybe(text), text: maybe(text), html: maybe(text) })),
    template: maybe(fc.record({ key: text, version: maybe(text), locale: maybe(text) })),
    inApp: maybe(fc.record({ userId: text, title: text, body: text })),
    notBeforeMs: maybe(time),
    notAfterMs: maybe(time),
    requestedAtMs: time,
    channel: fc.constantFrom('email', 'sms', 'push', 'in-app' as const),
  })
  .map((over) => aRequest({ ...over, notificationId: anId(5) } as Parameters<typeof aRequest>[0]));

describe('a request', { timeout: 30_000 }, () => {
  it('comes back equal, or is refused exactly as its producer was told', async () => {
    const { topics, codec } = await aCodec();
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const record = received(encodeRequest(topics, codec, asked, null));
        const answer = await decodeRequested({ codec, hashRecipient: () => '' }, record);
        const problem = requestProblem(asked);
        if (problem === null) expect(answer).toMatchObject({ kind: 'decoded', value: { request: asked } });
        else expect(answer).toEqual(problem);
      }),
      { numRuns: 300 },
    );
  });

  it('is encoded to the same bytes every time', async () => {
    const { topics, codec } = await aCodec();
    fc.assert(
      fc.property(request, (asked) => {
        expect(encodeRequest(topics, codec, asked, null)).toEqual(encodeRequest(topics, codec, asked, null));
      }),
    );
  });
});

describe('the bounds scan', () => {
  const items = {
    type: 'record',
    name: 'I',
    fields: [
      { name: 'x', type: 'bytes' },
      { name: 'y', type: 'double' },
    ],
  };
  const type = avro.Type.forSchema({
    type: 'record',
    name: 'R',
    fields: [
      { name: 'a', type: { type: 'array', items } },
      { name: 'm', type: { type: 'map', values: ['null', 'long'] } },
      { name: 'e', type: { type: 'enum', name: 'E', symbols: ['A', 'B'] } },
      { name: 'f', type: { type: 'fixed', name: 'F', size: 4 } },
    ],
  } as Parameters<typeof avro.Type.forSchema>[0]);
  const value = fc.record({
    a: fc.array(fc.record({ x: fc.uint8Array().map((bytes) => Buffer.from(bytes)), y: fc.double() })),
    m: fc.dictionary(text, maybe(fc.maxSafeInteger().map((n) => Math.trunc(n / 2))), {
      noNullPrototype: true,
    }),
    e: fc.constantFrom('A', 'B'),
    f: fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  });

  it('accepts every value that the encoder writes, and none of its beginnings', () => {
    const scan = boundsScan(type);
    fc.assert(
      fc.property(value, fc.nat(), (written, cut) => {
        const bytes: Buffer = type.toBuffer(written);
        expect(scan(bytes, 0)).toBe('exact');
        expect(scan(bytes.subarray(0, cut % bytes.length), 0)).toBe('malformed');
      }),
    );
  });
});

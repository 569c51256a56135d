// Whatever arrives, reading it is an answer: no exception, no endless loop, no memory without bound.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { dispatchedRecord } from '../../../src/streams/dispatched.ts';
import { decodeRequested, encodeRequest } from '../../../src/streams/requested.ts';
import { retryDueRecord } from '../../../src/streams/retry-due.ts';
import { SCHEMA_NAMES, type SchemaName } from '../../../src/streams/schema-files.ts';
import { aNotification, aRequest } from '../../support/a-notification.ts';
import { aCodec, type CodecWorld, received } from '../../unit/streams/a-codec.ts';

/** Far above what any answer takes, also on a busy machine. */
const LIMIT_MS = 2_000;
const MANY_RUNS = 1_000;
const TIMEOUT_MS = 30_000;

describe('hostile bytes', { timeout: TIMEOUT_MS }, () => {
  let world: CodecWorld;
  let samples: readonly { readonly name: SchemaName; readonly bytes: Buffer }[];
  beforeAll(async () => {
    world = await aCodec();
    samples = validValues(world);
  });

  async function answerWithin(name: SchemaName, bytes: Uint8Array): Promise<string> {
    const startedMs = performance.now();
    const answer = await world.codec.decode(name, bytes);
    expect(performance.now() - startedMs).toBeLessThan(LIMIT_MS);
    return answer.kind;
  }

  it('that are random under a known schema are a value or a violation', async () => {
    const ids = new Set(samples.map(({ bytes }) => bytes.readUInt8(4)));
    const framed = fc.tuple(fc.constantFrom(...ids), fc.uint8Array({ maxLength: 2_000, size: 'max' }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SCHEMA_NAMES), framed, async (name, [id, tail]) => {
        const kind = await answerWithin(name, Buffer.from([0, 0, 0, 0, id, ...tail]));
        expect(['decoded', 'violation']).toContain(kind);
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('that are random from the first byte on are a violation or a value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SCHEMA_NAMES),
        fc.uint8Array({ maxLength: 200 }),
        async (name, bytes) => {
          expect(['decoded', 'violation']).toContain(await answerWithin(name, bytes));
        },
      ),
      { numRuns: MANY_RUNS },
    );
  });

  it('made from a value by changing, cutting and inserting are a value or a violation', async () => {
    const mutation = fc.record({
      sample: fc.nat(),
      at: fc.nat(),
      remove: fc.integer({ min: 0, max: 6 }),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 12 }),
        // Counts and lengths that no value could keep.
        fc.constantFrom(
          Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f),
          Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f),
          Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
        ),
      ),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ sample, at, remove, insert }) => {
        const chosen = samples[sample % samples.length];
        if (chosen === undefined) return;
        const from = 5 + (at % (chosen.bytes.length - 4));
        const bytes = Buffer.concat([
          chosen.bytes.subarray(0, from),
          insert,
          chosen.bytes.subarray(from + remove),
        ]);
        expect(['decoded', 'violation']).toContain(await answerWithin(chosen.name, bytes));
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('never leave the contract of a request with anything but an answer', async () => {
    const deps = { codec: world.codec, hashRecipient: () => '' };
    const valid = received(encodeRequest(world.topics, world.codec, aRequest({ data: { a: 'b' } }), null));
    const bytes = Buffer.from(valid.value ?? []);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(byte, at);
        const answer = await decodeRequested(deps, { ...valid, value: changed });
        expect(['decoded', 'violation']).toContain(answer.kind);
        if (answer.kind === 'violation') expect(answer.detail).not.toContain('ada@');
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('of a mebibyte do not take memory out of proportion', async () => {
    const [sample] = samples;
    if (sample === undefined) return;
    const bytes = Buffer.alloc(1_048_576, 0x02);
    sample.bytes.copy(bytes, 0, 0, 5);
    const beforeBytes = process.memoryUsage().heapUsed;
    for (let i = 0; i < 20; i += 1) await answerWithin(sample.name, bytes);
    expect(process.memoryUsage().heapUsed - beforeBytes).toBeLessThan(256 * 1_048_576);
  });
});

function validValues({ topics, codec }: CodecWorld): readonly { name: SchemaName; bytes: Buffer }[] {
  const request = aRequest({
    data: { name: 'Ada', list: '[1,2,3]' },
    inApp: { userId: 'u', title: 't', body: 'b' },
    attributes: { a: '1' },
  });
  const outcome = {
    schemaVersion: 1,
    seq: 1,
    supersedes: null,
    status: 'Sent',
    reason: 'accepted',
    providerKey: 'mail',
    cycle: 1,
    attempts: 1,
    maxAttempts: 5,
    providerMessageId: 'm-1',
    error: null,
    evidence: 'accepted',
  } as const;
  const row = aNotification({ outcome, outcomeSeq: 1, outcomeAtMs: 1_700_000_000_000 });
  const content = { request, payloadHash: '', recipientHash: '', traceparent: null };
  const [tier] = topics.tiers;
  const wakeUp = { notificationId: request.notificationId, dueAtMs: 1_700_000_000_000, wakeSeq: 1 };
  const records = [
    ['notification-requested', encodeRequest(topics, codec, request, null)],
    ['notification-dispatched-event', dispatchedRecord(topics, codec, row, content)],
    ...(tier === undefined ? [] : [['retry-due', retryDueRecord(codec, tier, wakeUp)] as const]),
  ] as const;
  return records.map(([name, record]) => ({ name, bytes: Buffer.from(record.value ?? []) }));
}

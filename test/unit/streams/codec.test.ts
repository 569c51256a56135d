import avro from 'avsc';
import { describe, expect, it, vi } from 'vitest';
import { Fault } from '../../../src/runtime/fault.ts';
import { openCodec } from '../../../src/streams/codec.ts';
import { memoryRegistry } from '../../../src/streams/memory-registry.ts';
import { COMPATIBILITY, type SchemaRegistry } from '../../../src/streams/registry.ts';
import { readSchemaFamily } from '../../../src/streams/schema-files.ts';
import { topicsOf } from '../../../src/streams/topics.ts';
import { anId, NOW_MS } from '../../support/a-notification.ts';
import { aCodec, stoppedClock } from './a-codec.ts';

const TIER = 'pin.notifications.retry.1s';
const wakeUp = { notificationId: anId(), dueAt: NOW_MS, wakeSeq: 1, tier: '1s' };

type Field = Readonly<Record<string, unknown>>;
type Schema = { readonly fields: readonly Field[] } & Readonly<Record<string, unknown>>;

function retryDueSchema(change: (fields: readonly Field[]) => readonly Field[]): string {
  const schema = JSON.parse(readSchemaFamily('retry-due').current) as Schema;
  return JSON.stringify({ ...schema, fields: change(schema.fields) });
}

/** The value as another service would write it, with a schema of its own. */
async function written(registry: SchemaRegistry, schema: string, value: object): Promise<Buffer> {
  const answer = await registry.register(`elsewhere-${schema.length}`, schema, COMPATIBILITY);
  const id = Buffer.from([0, 0, 0, 0, answer.kind === 'registered' ? answer.id : 0]);
  return Buffer.concat([id, avro.Type.forSchema(JSON.parse(schema) as avro.Type).toBuffer(value)]);
}

describe('the codec', () => {
  it('reads back what it wrote', async () => {
    const { codec } = await aCodec();
    const answer = await codec.decode('retry-due', codec.encode(TIER, wakeUp));
    expect(answer).toMatchObject({ kind: 'decoded', value: wakeUp });
  });

  it('writes the same bytes for the same value, also after a longer one used the scratch buffer', async () => {
    const { codec } = await aCodec();
    const before = codec.encode(TIER, wakeUp);
    codec.encode(TIER, { ...wakeUp, tier: 'x'.repeat(100_000) });
    expect(codec.encode(TIER, wakeUp)).toEqual(before);
  });

  it('refuses to write a value over the size cap', async () => {
    const { codec } = await aCodec();
    const write = () => codec.encode(TIER, { ...wakeUp, tier: 'x'.repeat(1_048_576) });
    expect(write).toThrow(expect.objectContaining({ code: 'VALUE_TOO_LARGE', retriable: false }));
  });

  it('names the field, never the value, when a value does not fit its schema', async () => {
    const { codec } = await aCodec();
    const write = () => codec.encode(TIER, { ...wakeUp, dueAt: 'ada@example.com' });
    expect(write).toThrow(/RetryDue: dueAt$/);
    expect(write).not.toThrow(/ada/);
  });

  it('reads a later version that added a field with a default', async () => {
    const { codec, registry } = await aCodec();
    const later = retryDueSchema((fields) => [...fields, { name: 'why', type: 'string', default: '' }]);
    const answer = await codec.decode(
      'retry-due',
      await written(registry, later, { ...wakeUp, why: 'because' }),
    );
    expect(answer).toMatchObject({ kind: 'decoded', value: wakeUp });
  });

  it('answers undecodable for a schema that does not resolve to ours', async () => {
    const { codec, registry } = await aCodec();
    const foreign = retryDueSchema((fields) => fields.slice(0, 2));
    const answer = await codec.decode('retry-due', await written(registry, foreign, wakeUp));
    expect(answer).toMatchObject({ kind: 'violation', reason: 'undecodable' });
  });

  it('answers undecodable for a registered text that is no Avro schema', async () => {
    const { topics } = await aCodec();
    const registry = { ...memoryRegistry(), idOf: () => Promise.resolve(1) };
    const strange = {
      ...registry,
      schemaOf: () => Promise.resolve({ kind: 'schema', schema: '{"$ref":' } as const),
    };
    const codec = await openCodec({ registry: strange, clock: stoppedClock }, topics);
    const answer = await codec.decode('retry-due', Buffer.from([0, 0, 0, 0, 9, 1, 2, 3]));
    expect(answer).toMatchObject({ kind: 'violation', reason: 'undecodable' });
  });

  it('answers undecodable for a number that JavaScript cannot hold', async () => {
    const { codec } = await aCodec();
    const bytes = codec.encode(TIER, { ...wakeUp, wakeSeq: Number.MAX_SAFE_INTEGER - 1 });
    // The varint's last byte but the tier's three: a higher one leaves the safe range.
    const at = bytes.length - 4;
    bytes.writeUInt8(bytes.readUInt8(at) + 0x10, at);
    expect(await codec.decode('retry-due', bytes)).toMatchObject({
      kind: 'violation',
      reason: 'undecodable',
    });
  });

  it('answers unknown-schema for an id that the registry does not know', async () => {
    const { codec } = await aCodec();
    const answer = await codec.decode('retry-due', Buffer.from([0, 0, 0, 3, 9, 1, 2, 3]));
    expect(answer).toMatchObject({ kind: 'violation', reason: 'unknown-schema' });
  });

  it('never condemns a record while the registry is away', async () => {
    const { registry, topics } = await aCodec();
    const away = new Fault('REGISTRY_UNAVAILABLE', 'away', { retriable: true });
    const broken = { ...registry, schemaOf: () => Promise.reject(away) };
    const codec = await openCodec({ registry: broken, clock: stoppedClock }, topics);
    await expect(codec.decode('retry-due', codec.encode(TIER, wakeUp))).rejects.toBe(away);
  });

  it('asks the registry once for many records of one schema', async () => {
    const { registry, topics } = await aCodec();
    let asked = 0;
    const counting = { ...registry, schemaOf: (id: number) => ++asked && registry.schemaOf(id) };
    const codec = await openCodec({ registry: counting as SchemaRegistry, clock: stoppedClock }, topics);
    const bytes = codec.encode(TIER, wakeUp);
    await Promise.all([1, 2, 3].map(() => codec.decode('retry-due', bytes)));
    await codec.decode('retry-due', bytes);
    expect(asked).toBe(1);
  });

  it('parses a schema once for all the records that wait for it', async () => {
    const { codec } = await aCodec();
    const bytes = codec.encode(TIER, wakeUp);
    const parsing = vi.spyOn(avro.Type, 'forSchema');
    await Promise.all(Array.from({ length: 50 }, () => codec.decode('retry-due', bytes)));
    // The writer's record, and what is in it.
    const perSchema = parsing.mock.calls.filter(([schema]) => Object.hasOwn(schema as object, 'namespace'));
    parsing.mockRestore();
    expect(perSchema).toHaveLength(1);
  });

  it('says what to do when the schemas are not registered', async () => {
    const opening = openCodec({ registry: memoryRegistry(), clock: stoppedClock }, topicsOf());
    await expect(opening).rejects.toMatchObject({
      code: 'SCHEMAS_NOT_REGISTERED',
      retriable: false,
      message: expect.stringContaining('pin schemas push') as string,
    });
  });
});

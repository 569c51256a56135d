// What every schema registry must do for us. `subject` makes names that no other run has used.
import { describe, expect, it } from 'vitest';
import { openCodec } from '../../../src/streams/codec.ts';
import { COMPATIBILITY, type SchemaRegistry } from '../../../src/streams/registry.ts';
import { pushSchemas } from '../../../src/streams/schema-check.ts';
import { topicsOf } from '../../../src/streams/topics.ts';
import { stoppedClock } from '../../unit/streams/a-codec.ts';

const FIRST = recordOf({ name: 'a', type: 'string' });
const COMPATIBLE = recordOf(
  { name: 'a', type: 'string' },
  { name: 'b', type: ['null', 'long'], default: null },
);
const INCOMPATIBLE = recordOf({ name: 'a', type: 'string' }, { name: 'c', type: 'long' });
const UNGIVEN_ID = 2_147_483_646;

function recordOf(...fields: object[]): string {
  return JSON.stringify({ type: 'record', name: 'Contract', namespace: 'pin.test', fields });
}

export function registryContract(
  what: string,
  open: () => { readonly registry: SchemaRegistry; readonly subject: (name: string) => string },
): void {
  describe(`a schema registry: ${what}`, () => {
    async function registered(registry: SchemaRegistry, subject: string, schema: string): Promise<number> {
      const answer = await registry.register(subject, schema, COMPATIBILITY);
      expect(answer.kind).toBe('registered');
      return answer.kind === 'registered' ? answer.id : 0;
    }

    it('gives a schema an id and the id its schema back', async () => {
      const { registry, subject } = open();
      const id = await registered(registry, subject('one'), FIRST);
      expect(id).toBeGreaterThan(0);
      const answer = await registry.schemaOf(id);
      expect(answer.kind === 'schema' && (JSON.parse(answer.schema) as unknown)).toEqual(JSON.parse(FIRST));
    });

    it('says unknown for an id that it never gave', async () => {
      expect(await open().registry.schemaOf(UNGIVEN_ID)).toEqual({ kind: 'unknown-id' });
    });

    it('gives the same id for the same schema again', async () => {
      const { registry, subject } = open();
      const first = await registered(registry, subject('again'), FIRST);
      expect(await registered(registry, subject('again'), FIRST)).toBe(first);
    });

    it('finds ids by subject and schema, in another layout too, and never makes one', async () => {
      const { registry, subject } = open();
      const name = subject('find');
      expect(await registry.idOf(name, FIRST)).toBeNull();
      const id = await registered(registry, name, FIRST);
      expect(await registry.idOf(name, FIRST)).toBe(id);
      expect(await registry.idOf(name, JSON.stringify(JSON.parse(FIRST), null, 2))).toBe(id);
      expect(await registry.idOf(name, COMPATIBLE)).toBeNull();
      expect(await registry.idOf(name, COMPATIBLE)).toBeNull();
    });

    it('keeps every version of a subject findable', async () => {
      const { registry, subject } = open();
      const name = subject('versions');
      const first = await registered(registry, name, FIRST);
      const second = await registered(registry, name, COMPATIBLE);
      expect(second).not.toBe(first);
      expect(await registry.idOf(name, FIRST)).toBe(first);
      expect(await registry.idOf(name, COMPATIBLE)).toBe(second);
    });

    it('refuses a schema that does not fit every earlier one', async () => {
      const { registry, subject } = open();
      const name = subject('refuse');
      await registered(registry, name, FIRST);
      const answer = await registry.register(name, INCOMPATIBLE, COMPATIBILITY);
      expect(answer).toMatchObject({ kind: 'incompatible' });
      expect(await registry.idOf(name, INCOMPATIBLE)).toBeNull();
    });

    it('checks without registering', async () => {
      const { registry, subject } = open();
      const name = subject('check');
      expect(await registry.checkCompatibility(name, INCOMPATIBLE)).toEqual({ kind: 'compatible' });
      await registered(registry, name, FIRST);
      expect(await registry.checkCompatibility(name, COMPATIBLE)).toEqual({ kind: 'compatible' });
      expect(await registry.checkCompatibility(name, INCOMPATIBLE)).toMatchObject({ kind: 'incompatible' });
      expect(await registry.idOf(name, COMPATIBLE)).toBeNull();
    });

    it('takes all our schemas, and then a codec opens on it', async () => {
      const { registry, subject } = open();
      const topics = topicsOf({ prefix: subject('codec') });
      const pushed = await pushSchemas(registry, topics);
      expect(pushed.map(({ answer }) => answer.kind)).not.toContain('incompatible');
      const codec = await openCodec({ registry, clock: stoppedClock }, topics);
      const value = { notificationId: 'x', dueAt: 1, wakeSeq: 2, tier: '1s' };
      const bytes = codec.encode(topics.tiers[0]?.topic ?? '', value);
      expect(await codec.decode('retry-due', bytes)).toMatchObject({ kind: 'decoded', value });
    });
  });
}

// Avro values in Confluent framing, both ways. It promises: whatever the bytes are, decoding answers with a value or a violation, within
// bounded time and memory; encoding the same value with the same schema version gives the same bytes. It never registers a schema.
import type { Type } from 'avsc';
import type { Clock } from '../runtime/clock.ts';
import { Fault, invariant } from '../runtime/fault.ts';
import { type DecodeAnswer, violation } from './decode-answer.ts';
import { unframe } from './framing.ts';
import type { SchemaRegistry } from './registry.ts';
import { readSchemaFamily, SCHEMA_NAMES, type SchemaFamily, type SchemaName } from './schema-files.ts';
import { type SchemaLoader, schemaLoader } from './schema-loader.ts';
import type { TopicContract, Topics } from './topics.ts';
import { typeOf, type ValueReader, valueReader } from './value-reader.ts';
import { valueWriter } from './value-writer.ts';

export interface Codec {
  /** `value` as the reader schema `name` sees it; never `skipped`. @throws Fault REGISTRY_UNAVAILABLE (retriable) */
  decode(name: SchemaName, value: Uint8Array | null): Promise<DecodeAnswer<unknown>>;
  /**
   * Framed bytes for `topic`; `version` is a released one, the newest by default.
   * @throws Fault VALUE_TOO_LARGE (not retriable)
   */
  encode(topic: string, value: object, version?: number): Buffer;
}

export interface CodecDeps {
  readonly registry: SchemaRegistry;
  readonly clock: Clock;
}

/**
 * Looks up the ids of every released schema under every subject that `topics` writes.
 * @throws Fault SCHEMAS_NOT_REGISTERED (run `pin schemas push`), REGISTRY_UNAVAILABLE (retriable)
 */
export async function openCodec(deps: CodecDeps, topics: Topics): Promise<Codec> {
  const families = new Map(SCHEMA_NAMES.map((name) => [name, readSchemaFamily(name)]));
  const [writers, readers] = [new Map<string, TopicWriter>(), new Map<SchemaName, DecodeValue>()];
  const loader = schemaLoader(deps);
  for (const [name, family] of families) readers.set(name, decodingAs(typeOf(family.current), loader));
  const writable = topics.contracts.filter(({ role }) => topics.writesDispatched || role !== 'dispatched');
  await Promise.all(
    writable.map(async (contract) => {
      const family = contract.schema === null ? undefined : families.get(contract.schema);
      if (family !== undefined)
        writers.set(contract.topic, await topicWriter(deps.registry, contract, family));
    }),
  );
  const write = valueWriter();
  return {
    decode(name, value) {
      const decode = readers.get(name);
      invariant(decode !== undefined, `no schema is called ${name}`);
      return decode(value);
    },
    encode(topic, value, version) {
      const released = writers.get(topic);
      const writer = released?.[(version ?? released.length) - 1];
      invariant(writer !== undefined, `no released schema ${version ?? ''} for topic ${topic}`);
      return write(writer.type, writer.schemaId, value);
    },
  };
}

type DecodeValue = (value: Uint8Array | null) => Promise<DecodeAnswer<unknown>>;

/** Writer schemas of one reader that are kept parsed; the oldest goes first. */
const MAX_READERS = 500;

function decodingAs(reader: Type, loader: SchemaLoader): DecodeValue {
  const known = new Map<number, ValueReader>();
  /** A schema is loaded and parsed once, however many records of it wait: parsing takes milliseconds. */
  const coming = new Map<number, Promise<ValueReader | null>>();

  function readerOf(schemaId: number): Promise<ValueReader | null> {
    const expected = coming.get(schemaId);
    if (expected !== undefined) return expected;
    const loading = loadReader(schemaId).finally(() => coming.delete(schemaId));
    coming.set(schemaId, loading);
    return loading;
  }

  async function loadReader(schemaId: number): Promise<ValueReader | null> {
    const answer = await loader.load(schemaId);
    if (answer.kind === 'unknown-id') return null;
    const read = valueReader(reader, answer.schema, schemaId);
    known.set(schemaId, read);
    const [oldest] = known.keys();
    if (known.size > MAX_READERS && oldest !== undefined) known.delete(oldest);
    return read;
  }

  return async (value) => {
    const framed = unframe(value);
    if (framed.kind === 'violation') return framed;
    const read = known.get(framed.schemaId) ?? (await readerOf(framed.schemaId));
    if (read === null) {
      return violation('unknown-schema', `the registry does not know schema ${framed.schemaId}`);
    }
    return read(framed.bytes);
  };
}

/** Released versions in order; index 0 is version 1. */
type TopicWriter = readonly { readonly type: Type; readonly schemaId: number }[];

async function topicWriter(
  registry: SchemaRegistry,
  contract: TopicContract,
  family: SchemaFamily,
): Promise<TopicWriter> {
  const subject = contract.subject ?? '';
  return Promise.all(
    family.released.map(async (schema, index) => {
      const schemaId = await registry.idOf(subject, schema);
      if (schemaId === null) throw notRegistered(subject, index + 1);
      return { type: typeOf(schema), schemaId };
    }),
  );
}

function notRegistered(subject: string, version: number): Fault {
  const sentence = `the schema registry has no version ${version} of ours under ${subject}: run \`pin schemas push\``;
  return new Fault('SCHEMAS_NOT_REGISTERED', sentence, { retriable: false });
}

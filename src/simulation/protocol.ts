// What all schedules of a run share because nothing in it changes: names of topics, the topology, and the product's own codec with its schemas
// read once.
import { systemClock } from '../runtime/clock.ts';
import { invariant } from '../runtime/fault.ts';
import { type Codec, openCodec } from '../streams/codec.ts';
import { FRAME_BYTES, writeFrame } from '../streams/framing.ts';
import { memoryRegistry } from '../streams/memory-registry.ts';
import { type PushedSchema, pushSchemas } from '../streams/schema-check.ts';
import { type Topics, topicsOf } from '../streams/topics.ts';
import { notificationTopology, type Topology } from '../topology/graph.ts';

export interface Protocol {
  readonly topics: Topics;
  readonly topology: Topology;
  readonly codec: Codec;
}

/** Few tiers: a schedule lasts minutes. */
const TIER_DELAYS_MS = [1_000, 5_000, 20_000];

export async function openProtocol(): Promise<Protocol> {
  const topics = topicsOf({ tierDelaysMs: TIER_DELAYS_MS });
  const registry = memoryRegistry();
  const pushed = await pushSchemas(registry, topics);
  const codec = await openCodec({ registry, clock: systemClock }, topics);
  await readEverySchema(codec, topics, pushed);
  return { topics, topology: notificationTopology(topics), codec };
}

/** The first record of a schema waits for it: without this a schedule would depend on those before it in the same process. */
async function readEverySchema(codec: Codec, topics: Topics, pushed: readonly PushedSchema[]): Promise<void> {
  for (const { topic, schema, subject } of topics.contracts)
    for (const { answer } of pushed.filter((one) => one.subject === subject)) {
      invariant(schema !== null && answer.kind !== 'incompatible', `${topic} has its schemas`);
      const value = Buffer.alloc(FRAME_BYTES);
      writeFrame(value, answer.id);
      await codec.decode(schema, value);
    }
}

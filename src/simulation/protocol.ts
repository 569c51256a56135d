// What all schedules of a run share because nothing in it changes: names of topics, the topology, and the product's own codec with its schemas
// read once.
import { systemClock } from '../runtime/clock.ts';
import { type Codec, openCodec } from '../streams/codec.ts';
import { memoryRegistry } from '../streams/memory-registry.ts';
import { pushSchemas } from '../streams/schema-check.ts';
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
  await pushSchemas(registry, topics);
  const codec = await openCodec({ registry, clock: systemClock }, topics);
  return { topics, topology: notificationTopology(topics), codec };
}

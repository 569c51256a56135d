// A codec over a registry in memory, and records as a consumer would see what a producer sent.
import type { LogRecord, OutgoingRecord } from '../../../src/broker/log.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import { type Codec, openCodec } from '../../../src/streams/codec.ts';
import { memoryRegistry } from '../../../src/streams/memory-registry.ts';
import type { SchemaRegistry } from '../../../src/streams/registry.ts';
import { pushSchemas } from '../../../src/streams/schema-check.ts';
import { type Topics, topicsOf } from '../../../src/streams/topics.ts';
import { NOW_MS } from '../../support/a-notification.ts';

export const stoppedClock: Clock = { nowMs: () => NOW_MS, monotonicMs: () => 0 };

export interface CodecWorld {
  readonly topics: Topics;
  readonly registry: SchemaRegistry;
  readonly codec: Codec;
}

export async function aCodec(topics: Topics = topicsOf()): Promise<CodecWorld> {
  const registry = memoryRegistry();
  await pushSchemas(registry, topics);
  return { topics, registry, codec: await openCodec({ registry, clock: stoppedClock }, topics) };
}

export function received(record: OutgoingRecord, over: Partial<LogRecord> = {}): LogRecord {
  const { topic, key, value, headers } = record;
  return { topic, partition: 3, offset: 42, timestampMs: NOW_MS, key, value, headers, ...over };
}

export function textHeaders(record: Pick<LogRecord, 'headers'>): Record<string, string> {
  const entries = Object.entries(record.headers);
  return Object.fromEntries(entries.map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')]));
}

export function headerOf(record: Pick<LogRecord, 'headers'>, name: string): string | undefined {
  return textHeaders(record)[name];
}

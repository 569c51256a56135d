// One record's turn in its lane: a key in the wrong partition is moved, everything else goes to the handler of its source.
import type { LogRecord } from '../broker/log.ts';
import { partitionFor } from '../broker/partitioner.ts';
import type { Turn } from './advance.ts';
import type { Engine } from './engine.ts';
import type { Source } from './graph.ts';
import { onRequested } from './on-requested.ts';
import { onWakeUp } from './on-wake-up.ts';

const UUID_CHARS = 36;

/** Records without a usable key are nobody's neighbours: each gets a lane of its own. */
export function laneKeyOf(record: LogRecord): string {
  return record.key === null || record.key.length !== UUID_CHARS
    ? `${record.topic}/${record.partition}/${record.offset}`
    : new TextDecoder().decode(record.key).toLowerCase();
}

export function turnOf(engine: Engine, source: Source, record: LogRecord): Promise<Turn> {
  if (record.key !== null && partitionFor(record.key, engine.settings.partitions) !== record.partition)
    return moveToOwnPartition(engine, record, record.key);
  return source.kind === 'requested' ? onRequested(engine, record) : onWakeUp(engine, record);
}

/** Another client's partitioner put the key elsewhere: produced again to its own partition, acknowledged, counted, then done. */
async function moveToOwnPartition(engine: Engine, record: LogRecord, key: Uint8Array): Promise<Turn> {
  await engine.producer.send({
    topic: record.topic,
    partition: partitionFor(key, engine.settings.partitions),
    key,
    value: record.value,
    headers: record.headers,
  });
  engine.metrics.increment('pin_records_misplaced_total', { topic: record.topic });
  return { kind: 'done' };
}

// One record's turn in its lane: a key in the wrong partition is moved, everything else goes to the handler of its source.
import type { LogRecord } from '../broker/log.ts';
import { partitionFor } from '../broker/partitioner.ts';
import { parseNotificationId } from '../domain/notification-id.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Engine } from './engine.ts';
import type { Source } from './graph.ts';
import { onCommand } from './on-command.ts';
import { onRequested } from './on-requested.ts';
import { onWakeUp } from './on-wake-up.ts';
import { onWebhook } from './on-webhook.ts';
import { produce } from './produce.ts';
import { DONE, type Turn } from './turn.ts';

const UUID_CHARS = 36;
const UTF8 = new TextDecoder();

/** Records without a usable key are nobody's neighbours: each gets a lane of its own. */
export function laneKeyOf(record: Pick<LogRecord, 'topic' | 'partition' | 'offset' | 'key'>): string {
  return record.key === null || record.key.length !== UUID_CHARS
    ? `${record.topic}/${record.partition}/${record.offset}`
    : UTF8.decode(record.key).toLowerCase();
}

export function turnOf(engine: Engine, source: Source, record: LogRecord): Promise<Turn> {
  const key = record.key === null ? null : ownKey(record.key);
  const partition = key === null ? record.partition : partitionFor(key, engine.settings.partitions);
  if (partition !== record.partition) return moveTo(engine, record, partition, key);
  switch (source.kind) {
    case 'requested':
      return onRequested(engine, record);
    case 'webhooks':
      return onWebhook(engine, record);
    case 'commands':
      return onCommand(engine, record);
    case 'retry':
      return onWakeUp(engine, record);
    default:
      return unreachable(source.kind);
  }
}

/** An id is one key however it was written: in lower case, as in all that we produce about it. */
function ownKey(key: Uint8Array): Uint8Array {
  if (key.length !== UUID_CHARS) return key;
  const text = UTF8.decode(key);
  const id = parseNotificationId(text);
  return id === null || id === text ? key : new TextEncoder().encode(id);
}

/**
 * Another client's partitioner, or another spelling, put the key elsewhere: produced again to its own partition, acknowledged, counted,
 * then done.
 */
async function moveTo(
  engine: Engine,
  record: LogRecord,
  partition: number,
  key: Uint8Array | null,
): Promise<Turn> {
  await produce(engine, {
    topic: record.topic,
    partition,
    key,
    value: record.value,
    headers: record.headers,
  });
  engine.metrics.increment('pin_records_misplaced_total', { topic: record.topic });
  return DONE;
}

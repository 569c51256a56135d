// Reads topics of the in-memory log from one end, without a group.
import { invariant } from '../../runtime/fault.ts';
import type { Timers } from '../../runtime/timers.ts';
import type { LogRecord, LogTail, PartitionOffset } from '../log.ts';
import { type MemoryTopics, unknownTopic } from './topics.ts';

const LIMIT = { maxRecords: 500, maxBytes: Number.POSITIVE_INFINITY };

/** @throws Fault LOG_TOPIC_UNKNOWN */
export function memoryTail(
  { timers, topics }: { readonly timers: Timers; readonly topics: MemoryTopics },
  names: readonly string[],
  from: 'start' | 'end',
  onRecord: (record: LogRecord) => void,
): LogTail {
  const next: { -readonly [K in keyof PartitionOffset]: PartitionOffset[K] }[] = names.flatMap((topic) => {
    const spec = topics.spec(topic);
    if (spec === null) throw unknownTopic(topic);
    return Array.from({ length: spec.partitions }, (_, partition) => {
      const { start, end } = topics.range({ topic, partition });
      return { topic, partition, offset: from === 'start' ? start : end };
    });
  });
  let waking = false;
  let stopped = false;
  const read = () => {
    waking = false;
    if (stopped) return;
    for (const at of next) {
      for (const record of topics.read(at, at.offset, LIMIT)) {
        onRecord(record);
        invariant(record.offset >= at.offset, 'a tail never steps back');
        at.offset = record.offset + 1;
      }
      if (topics.range(at).end > at.offset) wake();
    }
  };
  const wake = () => {
    if (waking) return;
    waking = true;
    timers.after(0, read);
  };
  const unlisten = topics.onAppend(wake);
  wake();
  return {
    stop() {
      stopped = true;
      unlisten();
      return Promise.resolve();
    },
  };
}

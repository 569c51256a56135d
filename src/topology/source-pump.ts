// Moves the records of one source partition from its buffer to their lanes, each when its time has come, and pauses the partition
// while the buffer is full. A head that is not ready yet sets one timer; nothing polls. Time is the store's, as for everything that is
// due: a process whose own clock is fast would read a tier at once and send its wake-ups round and round.
import type { LogRecord, TopicPartition } from '../broker/log.ts';
import type { Cancel } from '../runtime/timers.ts';
import type { Engine } from './engine.ts';
import type { Source } from './graph.ts';
import { type SourceBuffer, sourceBuffer } from './source-buffer.ts';
import type { Watermark } from './watermark.ts';

export interface SourcePump {
  readonly source: Source;
  readonly buffer: SourceBuffer;
  offer(records: readonly LogRecord[]): number;
  pump(): void;
  rewind(offset: number): void;
  isPaused(): boolean;
  close(): void;
}

export interface SourcePumpDeps {
  readonly engine: Engine;
  readonly pause: (at: TopicPartition) => void;
  readonly resume: (at: TopicPartition) => void;
  readonly pumpSoon: () => void;
  readonly mayTake: () => boolean;
  readonly onRecord: (record: LogRecord, watermark: Watermark) => void;
}

export function sourcePump(deps: SourcePumpDeps, source: Source, partition: number): SourcePump {
  const { engine } = deps;
  const { maxBufferedRecords } = engine.settings;
  const at = { topic: source.topic, partition };
  const buffer = sourceBuffer(at, source.tier?.delayMs ?? 0, maxBufferedRecords);
  let isPaused = false;
  let cancelTimer: Cancel | null = null;

  /** The head, when its time has come; else its timer is set. */
  const takeReady = (): LogRecord | null => {
    const readyAtMs = buffer.headReadyAtMs();
    if (readyAtMs === null) return null;
    const aheadMs = readyAtMs - engine.storeClock.nowMs();
    if (aheadMs <= 0) return buffer.take();
    cancelTimer ??= engine.timers.after(aheadMs, () => {
      cancelTimer = null;
      deps.pumpSoon();
    });
    return null;
  };
  const balance = () => {
    if (!isPaused && buffer.isFull()) {
      isPaused = true;
      deps.pause(at);
    } else if (isPaused && buffer.buffered() <= maxBufferedRecords / 2) {
      isPaused = false;
      deps.resume(at);
    }
  };
  return {
    source,
    buffer,
    offer(records) {
      const taken = buffer.offer(records, engine.storeClock.nowMs());
      balance();
      return taken;
    },
    pump() {
      // Most partitions are empty most of the time, and every record that ends has all of them asked.
      if (buffer.buffered() === 0) return;
      while (deps.mayTake()) {
        const record = takeReady();
        if (record === null) break;
        deps.onRecord(record, buffer.watermark());
      }
      balance();
    },
    rewind(offset) {
      buffer.rewind(offset);
      cancelTimer?.();
      cancelTimer = null;
      balance();
    },
    isPaused: () => isPaused,
    close: () => cancelTimer?.(),
  };
}

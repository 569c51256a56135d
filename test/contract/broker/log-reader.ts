// A consumer whose handlers write down what happens, and ways to wait for it without sleeping.
import { randomUUID } from 'node:crypto';
import type {
  ConsumerHandlers,
  ConsumerOptions,
  Log,
  LogConsumer,
  LogRecord,
  TopicPartition,
} from '../../../src/broker/log.ts';

export interface Reader {
  readonly consumer: LogConsumer;
  /** Everything taken, in the order of taking. */
  readonly records: LogRecord[];
  /** Calls in order: `assigned 0,1 #1`, `revoking`, `crashed …`, `reset topic/0 5>2`. */
  readonly calls: string[];
  /** Current tasks; null before the first assignment. */
  tasks(): readonly number[] | null;
  /** Resolves once `holds` is true; it is asked after every call of any reader's handler. */
  until(what: string, holds: () => boolean): Promise<void>;
}

export interface ReaderChoices {
  /** How many of the offered records are taken; all by default. */
  take?(at: TopicPartition, records: readonly LogRecord[], consumer: LogConsumer): number;
  onAssigned?(tasks: readonly number[], consumer: LogConsumer): void;
}

const PATIENCE_MS = 20_000;

export async function openReader(
  log: Log,
  options: ConsumerOptions,
  choices: ReaderChoices = {},
): Promise<Reader> {
  const records: LogRecord[] = [];
  const calls: string[] = [];
  const { until, changed } = waiting(() => `calls: ${calls.join(' | ')}; ${records.length} records`);
  let tasks: readonly number[] | null = null;
  let consumer: LogConsumer | null = null;
  const handle = (): LogConsumer => {
    if (consumer === null) throw new TypeError('a handler was called before the handle was returned');
    return consumer;
  };
  const handlers: ConsumerHandlers = {
    onRecords(at, offered) {
      const taken = choices.take?.(at, offered, handle()) ?? offered.length;
      records.push(...offered.slice(0, taken));
      changed();
      return taken;
    },
    onAssigned(next, generation) {
      tasks = next;
      calls.push(`assigned ${next.join()} #${generation}`);
      choices.onAssigned?.(next, handle());
      changed();
    },
    onRevoking() {
      calls.push('revoking');
      changed();
    },
    onCrashed(error) {
      calls.push(`crashed ${String(error)}`);
      changed();
    },
    onOffsetReset({ topic, partition }, committed, next) {
      calls.push(`reset ${topic}/${partition} ${committed}>${next}`);
      changed();
    },
  };
  consumer = await log.consumer(options, handlers);
  return { consumer, records, calls, tasks: () => tasks, until };
}

/** Everybody who waits: what one reader hears may be what another waits for. */
const checks = new Set<() => void>();

export function waiting(state: () => string) {
  return {
    changed() {
      for (const check of [...checks]) check();
    },
    until: (what: string, holds: () => boolean) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          checks.delete(check);
          reject(new Error(`waited ${PATIENCE_MS} ms for: ${what}; ${state()}`));
        }, PATIENCE_MS);
        const check = () => {
          if (!holds()) return;
          clearTimeout(timer);
          checks.delete(check);
          resolve();
        };
        checks.add(check);
        check();
      }),
  };
}

export const unique = (what: string) => `${what}-${randomUUID().slice(0, 8)}`;
export const bytes = (text: string): Uint8Array => Buffer.from(text);
export const text = (value: Uint8Array | null): string | null =>
  value === null ? null : Buffer.from(value).toString();

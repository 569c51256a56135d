// kafkajs' own log, told through our Logger. The package shouts ERROR at what it repairs by itself a moment later, so levels are set here:
// what repairs itself is debug, what may not is warn, and nothing of it is ever an error: whoever calls the client decides that.
import type { LogEntry } from 'kafkajs';
import type { Logger } from '../../runtime/logger.ts';
import { logLevel } from './client-package.ts';
import { CLIENT_DROPPED } from './sockets.ts';

/** What kafkajs tells only through its log. */
export interface ClientEvent {
  readonly message: string;
  readonly topic: string | null;
  readonly partition: number | null;
}

const MAX_MESSAGE_CHARS = 300;
const REPAIRS_ITSELF = [
  /coordinator is (loading|not available)/i,
  /not the (correct )?(coordinator|leader)/i,
  /leadership election/i,
  /rebalanc/i,
  /not aware of this member/i,
  /^Response /,
  new RegExp(CLIENT_DROPPED),
  /Limiting retries for the idempotent producer/,
];

export function clientLogger(logger: Logger, onEvent?: (event: ClientEvent) => void) {
  return () => (entry: LogEntry) => {
    const { error, broker, topic, partition } = entry.log;
    const event = {
      message: entry.log.message.slice(0, MAX_MESSAGE_CHARS),
      topic: textOf(topic),
      partition: typeof partition === 'number' ? partition : null,
    };
    onEvent?.(event);
    const fields = { source: entry.namespace, ...event, broker: textOf(broker), detail: textOf(error) };
    if (worthReading(entry)) logger.warn('kafka.client', fields);
    else logger.debug('kafka.client', fields);
  };
}

function worthReading({ level, log }: LogEntry): boolean {
  return level === logLevel.ERROR && !REPAIRS_ITSELF.some((pattern) => pattern.test(log.message));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_MESSAGE_CHARS) : null;
}

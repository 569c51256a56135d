// kafkajs' own log, told through our Logger. The package shouts ERROR at what it repairs by itself a moment later, so levels are set here:
// what repairs itself is debug, what may not is warn, and nothing of it is ever an error: whoever calls the client decides that.
import { type LogEntry, logLevel } from 'kafkajs';
import type { Logger } from '../../runtime/logger.ts';

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
  /Limiting retries for the idempotent producer/,
];

export function clientLogger(logger: Logger, onEvent?: (event: ClientEvent) => void) {
  return () => (entry: LogEntry) => {
    const { error, broker, topic: ofTopic, partition: ofPartition } = entry.log;
    const message = entry.log.message.slice(0, MAX_MESSAGE_CHARS);
    const topic = typeof ofTopic === 'string' ? ofTopic : null;
    const partition = typeof ofPartition === 'number' ? ofPartition : null;
    onEvent?.({ message, topic, partition });
    const fields = {
      source: entry.namespace,
      message,
      detail: typeof error === 'string' ? error.slice(0, MAX_MESSAGE_CHARS) : null,
      broker: typeof broker === 'string' ? broker : null,
      topic,
      partition,
    };
    if (entry.level === logLevel.ERROR && !REPAIRS_ITSELF.some((pattern) => pattern.test(message)))
      logger.warn('kafka.client', fields);
    else logger.debug('kafka.client', fields);
  };
}

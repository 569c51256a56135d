// Sends one batch until every record of it is acknowledged or refused for itself. Idempotent, all replicas, one send in flight.
// After an outage the very same batch goes again with the same sequence, which the broker recognises. Where the sequence cannot be
// trusted (refusal, lost sequence, a send that never ended) a new producer takes over; records whose fate is unknown are then sent once
// more, so a reader may see one twice but never a gap.
import type { Kafka, Producer } from 'kafkajs';
import { Fault, isFault, messageOf } from '../../runtime/fault.ts';
import { pause, within } from '../../runtime/timers.ts';
import { CONNECT_LIMIT_MS, DISCONNECT_LIMIT_MS, ended, type KafkaDeps, RETRY } from './client.ts';
import { failureKind } from './failure.ts';
import type { Waiting } from './send-queue.ts';
import type { TopicDirectory } from './topic-directory.ts';

export interface BatchSender {
  connect(): Promise<void>;
  /** Resolves when the batch is dealt with, or when `closing` aborts: the rest stays unanswered. */
  send(batch: readonly Waiting[]): Promise<void>;
  disconnect(): Promise<void>;
}

const ACK_TIMEOUT_MS = 10_000;
/** Covers the client's own retries; a send that takes longer is given up and its producer replaced. */
const SEND_LIMIT_MS = 45_000;
const OUTAGE_PAUSE_MS = 500;
/** A client that failed this often in a row may be stuck in itself. */
const RENEW_AFTER_FAILURES = 5;

export function batchSender(
  deps: KafkaDeps,
  kafka: Kafka,
  directory: TopicDirectory,
  closing: AbortSignal,
): BatchSender {
  let producer = newProducer(kafka);
  let connected = false;

  const connect = async () => {
    await within(deps.timers, CONNECT_LIMIT_MS, 'LOG_UNAVAILABLE', producer.connect());
    connected = true;
  };
  const renew = () => {
    void ended(deps, producer.disconnect(), DISCONNECT_LIMIT_MS);
    producer = newProducer(kafka);
    connected = false;
  };

  /** Tries once. The error when it failed; a batch that was acknowledged needs no more. */
  const attempt = async (batch: readonly Waiting[]): Promise<unknown> => {
    try {
      if (!connected) await connect();
      const work = producer.sendBatch({ acks: -1, timeout: ACK_TIMEOUT_MS, topicMessages: byTopic(batch) });
      await within(deps.timers, SEND_LIMIT_MS, 'LOG_SEND_UNENDING', work);
      for (const { topic, message, acknowledge } of batch)
        acknowledge({ topic, partition: message.partition });
      return null;
    } catch (error) {
      return error;
    }
  };

  const send = async (batch: readonly Waiting[]): Promise<void> => {
    let rest = batch;
    for (let failures = 1; rest.length > 0 && !closing.aborted; failures += 1) {
      const error = await attempt(rest);
      rest = error === null ? [] : await afterFailure(rest, error, failures);
    }
  };

  /** What is still to be sent, when it may be tried again. */
  const afterFailure = async (batch: readonly Waiting[], error: unknown, failures: number) => {
    const kind = failureKind(error);
    deps.logger.warn('kafka.send-failed', {
      kind,
      failures,
      records: batch.length,
      reason: messageOf(error),
    });
    if (kind !== 'trouble' || isUnending(error) || failures % RENEW_AFTER_FAILURES === 0) renew();
    if (kind === 'refused') {
      await sendApart(batch, error);
      return [];
    }
    if (kind !== 'sequence') await pause(deps.timers, OUTAGE_PAUSE_MS, closing);
    return kind === 'gone-topic' ? withoutGoneTopics(directory, batch) : batch;
  };

  /** Halves a refused batch until the refused record is alone; order is kept. */
  const sendApart = async (batch: readonly Waiting[], error: unknown): Promise<void> => {
    if (batch.length === 1) return batch[0]?.refuse(refused(messageOf(error), error));
    const middle = Math.ceil(batch.length / 2);
    await send(batch.slice(0, middle));
    await send(batch.slice(middle));
  };

  const disconnect = async () => {
    await ended(deps, producer.disconnect(), DISCONNECT_LIMIT_MS);
  };
  return { connect, send, disconnect };
}

export function refused(message: string, cause?: unknown): Fault {
  return new Fault('LOG_RECORD_REFUSED', message, { retriable: false, cause });
}

export function unknownTopic(topic: string): Fault {
  return refused(`topic ${topic} does not exist`);
}

/** Records whose topic is still there; the others are refused. */
async function withoutGoneTopics(
  directory: TopicDirectory,
  batch: readonly Waiting[],
): Promise<readonly Waiting[]> {
  const topics = new Set(batch.map(({ topic }) => topic));
  directory.forget(topics);
  for (const topic of topics) if ((await directory.partitions(topic)) !== null) topics.delete(topic);
  for (const waiting of batch) if (topics.has(waiting.topic)) waiting.refuse(unknownTopic(waiting.topic));
  return batch.filter(({ topic }) => !topics.has(topic));
}

function newProducer(kafka: Kafka): Producer {
  return kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    retry: RETRY,
  });
}

function byTopic(batch: readonly Waiting[]) {
  const topics = new Map<string, Waiting['message'][]>();
  for (const { topic, message } of batch) {
    const messages = topics.get(topic);
    if (messages === undefined) topics.set(topic, [message]);
    else messages.push(message);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}

function isUnending(error: unknown): boolean {
  return isFault(error) && error.code === 'LOG_SEND_UNENDING';
}

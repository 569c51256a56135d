// How many partitions a topic has, asked once per topic. kafkajs silently drops a record whose partition does not exist and stalls every
// record when one topic is unknown, so the sender asks here first. It retries outages until `close` and never remembers an absence.
import type { Admin } from 'kafkajs';
import { Fault, messageOf } from '../../runtime/fault.ts';
import { pause } from '../../runtime/timers.ts';
import { askBrokers, type KafkaDeps, type KafkaSettings } from './client.ts';

export interface TopicDirectory {
  /** null when the topic does not exist. @throws Fault LOG_CLOSED */
  partitions(topic: string): Promise<number | null>;
  forget(topics: Iterable<string>): void;
  close(): void;
}

const RETRY_PAUSE_MS = 500;

export function topicDirectory(deps: KafkaDeps, settings: KafkaSettings): TopicDirectory {
  const closed = new AbortController();
  const known = new Map<string, Promise<number | null>>();

  const lookUp = async (topic: string): Promise<number | null> => {
    while (!closed.signal.aborted) {
      try {
        return await askBrokers(deps, settings, (admin) => countPartitions(admin, topic));
      } catch (error) {
        deps.logger.warn('kafka.topic-unanswered', { topic, reason: messageOf(error) });
        await pause(deps.timers, RETRY_PAUSE_MS, closed.signal);
      }
    }
    throw new Fault('LOG_CLOSED', 'the producer was closed', { retriable: false });
  };

  return {
    partitions(topic) {
      const asked = known.get(topic);
      if (asked !== undefined) return asked;
      const answer = lookUp(topic);
      known.set(topic, answer);
      const forgetAbsence = (count: number | null) => {
        if (count === null && known.get(topic) === answer) known.delete(topic);
      };
      answer.then(forgetAbsence, () => forgetAbsence(null));
      return answer;
    },
    forget(topics) {
      for (const topic of topics) known.delete(topic);
    },
    close: () => closed.abort(),
  };
}

/** Partition count, or null for an unknown topic. */
export async function countPartitions(admin: Admin, topic: string): Promise<number | null> {
  if (!(await admin.listTopics()).includes(topic)) return null;
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics.find(({ name }) => name === topic)?.partitions.length ?? null;
}

// An independent reader of one topic: when the first record of each key came, how many came again, and how many of those differed.
import { randomUUID } from 'node:crypto';
import { kafkaClient } from './kafka.mjs';

const MAX_WAIT_MS = 100;

export async function openReader(brokers, topic) {
  const seen = new Map();
  const waiting = new Set();
  const counts = { repeats: 0, conflicts: 0 };
  const take = ({ key, value }) => {
    const id = key.latin1Slice();
    const before = seen.get(id);
    if (before !== undefined) {
      counts.repeats += 1;
      if (!before.value.equals(value)) counts.conflicts += 1;
    } else {
      seen.set(id, { id, atMs: performance.now(), value });
      for (const look of waiting) look();
    }
  };
  const consumer = await follow(brokers, topic, take);
  return {
    seen,
    counts,
    /** True once `count` keys were seen, false when `limitMs` passed without a new one. */
    until: (count, limitMs) =>
      new Promise((resolve) => {
        let sizeBefore = -1;
        const end = (answer) => {
          clearInterval(watch);
          waiting.delete(look);
          resolve(answer);
        };
        const look = () => seen.size >= count && end(true);
        const watch = setInterval(() => {
          if (seen.size === sizeBefore) end(false);
          sizeBefore = seen.size;
        }, limitMs);
        waiting.add(look);
        look();
      }),
    stop: () => consumer.disconnect(),
  };
}

/** Resolves when it is assigned the topic: what is sent from now on is timed, not caught up with. */
async function follow(brokers, topic, take) {
  const consumer = kafkaClient(brokers).consumer({
    groupId: `bench-${randomUUID()}`,
    minBytes: 1,
    maxWaitTimeInMs: MAX_WAIT_MS,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const joined = new Promise((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, resolve);
  });
  await consumer.run({
    autoCommit: false,
    eachBatch: ({ batch }) => {
      for (const message of batch.messages) take(message);
      return Promise.resolve();
    },
  });
  await joined;
  return consumer;
}

// What a group has committed and what each partition holds, asked of the brokers.
import type { Admin } from 'kafkajs';
import type { PartitionLag } from '../log.ts';

/** One entry per partition of each topic, by topic as given, then partition. */
export async function groupOffsets(
  admin: Admin,
  groupId: string,
  topics: readonly string[],
): Promise<readonly PartitionLag[]> {
  const ranges = await topicRanges(admin, topics);
  const committed = await admin.fetchOffsets({ groupId, topics: [...topics] });
  return topics.flatMap((topic, index) => {
    const known = new Map<number, number>();
    for (const answer of committed)
      if (answer.topic === topic)
        for (const { partition, offset } of answer.partitions) known.set(partition, Number(offset));
    return (ranges[index] ?? [])
      .map(({ partition, low, high }) => {
        const offset = known.get(partition) ?? -1;
        return {
          topic,
          partition,
          committed: offset < 0 ? null : offset,
          start: Number(low),
          end: Number(high),
        };
      })
      .sort((a, b) => a.partition - b.partition);
  });
}

/** By partition, the first offset from `atMs` or later; the end where there is none. */
export async function offsetsAt(
  admin: Admin,
  topic: string,
  atMs: number,
): Promise<ReadonlyMap<number, number>> {
  const found = await admin.fetchTopicOffsetsByTimestamp(topic, atMs);
  return new Map(found.map(({ partition, offset }) => [partition, Number(offset)]));
}

/** First and next offsets by topic as given. All questions are over when it fails: one left behind would hang its connection. */
export async function topicRanges(admin: Admin, topics: readonly string[]) {
  const answers = await Promise.allSettled(topics.map((topic) => admin.fetchTopicOffsets(topic)));
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  });
}

// A partition as a key of maps.
import type { TopicPartition } from './log.ts';

export function keyOf({ topic, partition }: TopicPartition): string {
  return `${partition}/${topic}`;
}

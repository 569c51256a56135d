// What this member owns and where it is in the life of its group:
//   away → (assigned) placing → (placed) reading → (joining) joining → placing …, and gone for ever after `leave`.
// It owns its tasks from an assignment until the next one, also while a rebalance runs: a last commit may still be accepted.
import type { TopicPartition } from '../log.ts';

type Phase = 'away' | 'joining' | 'placing' | 'reading' | 'gone';

export interface Ownership {
  phase(): Phase;
  /** Counts this member's assignments, from 1. */
  generation(): number;
  owns(at: TopicPartition): boolean;
  /** Tasks of the last assignment, also when they are lost: what the next join asks for. */
  lastTasks(): readonly number[];
  /** True when a rebalance begins for a member that had been assigned. */
  joining(): boolean;
  assigned(tasks: readonly number[]): number;
  /** False when `generation` is not the current one any more. */
  placed(generation: number): boolean;
  /** The session is lost with everything in it. True when that is news: no rebalance had begun. */
  lost(): boolean;
  leave(): void;
  partitions(): TopicPartition[];
}

export function ownership(topics: readonly string[]): Ownership {
  const subscribed = new Set(topics);
  let phase: Phase = 'away';
  let generation = 0;
  let tasks: ReadonlySet<number> = new Set();

  return {
    phase: () => phase,
    generation: () => generation,
    owns: ({ topic, partition }) =>
      phase !== 'away' && phase !== 'gone' && subscribed.has(topic) && tasks.has(partition),
    lastTasks: () => [...tasks],
    joining() {
      const began = phase === 'placing' || phase === 'reading';
      if (began) phase = 'joining';
      return began;
    },
    assigned(next) {
      generation += 1;
      tasks = new Set(next);
      phase = 'placing';
      return generation;
    },
    placed(of) {
      if (of !== generation || phase !== 'placing') return false;
      phase = 'reading';
      return true;
    },
    lost() {
      const news = phase === 'placing' || phase === 'reading';
      if (phase !== 'gone') phase = 'away';
      return news;
    },
    leave() {
      phase = 'gone';
    },
    partitions: () => topics.flatMap((topic) => [...tasks].map((partition) => ({ topic, partition }))),
  };
}

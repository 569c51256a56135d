// Commits what is done to the log, one commit after another: an older one that is slow on its way must not take a newer one back.
// Best effort: the rows are the truth, and whoever reads a record again finds it there.
import type { LogConsumer } from '../broker/log.ts';
import { messageOf } from '../runtime/fault.ts';
import { inTurn } from '../runtime/in-turn.ts';
import type { Engine } from './engine.ts';
import type { TaskSet } from './task-set.ts';

/** Commits once; while a commit is on its way, after it. Never rejects. */
export type CommitOffsets = () => Promise<void>;

export function offsetCommits(
  engine: Engine,
  tasks: TaskSet,
  consumer: () => LogConsumer | null,
): CommitOffsets {
  const run = inTurn();
  return () => run(() => commitOnce(engine, tasks, consumer()));
}

async function commitOnce(engine: Engine, tasks: TaskSet, consumer: LogConsumer | null): Promise<void> {
  const offsets = tasks.committable();
  if (consumer === null || offsets.length === 0) return;
  try {
    await consumer.commit(offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset })));
    for (const { watermark, offset } of offsets) watermark.committed(offset);
  } catch (error) {
    // Another member's now, or the broker is away: the rows are the truth, the next commit or the next owner goes on.
    engine.logger.debug('commit.failed', { detail: messageOf(error) });
  }
}

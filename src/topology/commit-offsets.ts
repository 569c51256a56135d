// Commits what is done to the log. Best effort: the rows are the truth, and whoever reads a record again finds it there.
import type { LogConsumer } from '../broker/log.ts';
import { messageOf } from '../runtime/fault.ts';
import type { Engine } from './engine.ts';
import type { TaskSet } from './task-set.ts';

export async function commitOffsets(
  engine: Engine,
  tasks: TaskSet,
  consumer: LogConsumer | null,
): Promise<void> {
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

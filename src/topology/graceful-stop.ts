// The graceful end: no new claims, unsent claims released, sends in flight settled and published, marks and offsets committed, then
// out of the group at once, so that the next owner does not wait for the session. Its limit is at least the longest deadline.
import type { LogConsumer, LogProducer } from '../broker/log.ts';
import { pause } from '../runtime/timers.ts';
import { commitOffsets } from './commit-offsets.ts';
import type { Engine } from './engine.ts';
import type { TaskSet } from './task-set.ts';

export async function stopGracefully(
  engine: Engine,
  tasks: TaskSet,
  consumer: LogConsumer | null,
  producer: LogProducer,
  signals: { readonly stopping: AbortController; readonly ending: AbortController },
): Promise<void> {
  signals.stopping.abort();
  for (const open of engine.permits.values()) open.stop();
  for (const fence of engine.fences) fence.release();
  const finished = tasks.lanes
    .idle()
    .then(() => engine.store.drainMarks())
    .then(() => commitOffsets(engine, tasks, consumer));
  await Promise.race([finished, pause(engine.timers, engine.settings.stopLimitMs)]);
  signals.ending.abort();
  tasks.close();
  await consumer?.stop();
  await producer.close();
}

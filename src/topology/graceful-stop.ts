// The graceful end: no new claims, unsent claims released, sends in flight settled and published, marks and offsets committed, then
// out of the group at once, so that the next owner does not wait for the session. Its limit is at least the longest deadline.
import type { LogConsumer, LogProducer } from '../broker/log.ts';
import { messageOf } from '../runtime/fault.ts';
import { pause } from '../runtime/timers.ts';
import type { CommitOffsets } from './commit-offsets.ts';
import type { Engine } from './engine.ts';
import type { TaskSet } from './task-set.ts';

interface StoppingParts {
  readonly consumer: LogConsumer | null;
  readonly producer: LogProducer;
  readonly commit: CommitOffsets;
}

export async function stopGracefully(
  engine: Engine,
  tasks: TaskSet,
  { consumer, producer, commit }: StoppingParts,
  signals: {
    readonly stopping: AbortController;
    readonly ending: AbortController;
    readonly hasFailed: boolean;
  },
): Promise<void> {
  signals.stopping.abort();
  for (const open of engine.permits.values()) open.stop();
  engine.claims.release(null);
  const finished = finish(engine, tasks, commit, signals.hasFailed).catch((error: unknown) =>
    // The rows say what is still owed; whoever comes next pays it.
    engine.logger.warn('stop.unfinished', { detail: messageOf(error) }),
  );
  await Promise.race([finished, pause(engine.timers, engine.settings.stopLimitMs, signals.ending.signal)]);
  signals.ending.abort();
  tasks.close();
  await consumer?.stop();
  await producer.close();
}

async function finish(
  engine: Engine,
  tasks: TaskSet,
  commit: CommitOffsets,
  hasFailed: boolean,
): Promise<void> {
  await tasks.lanes.idle();
  await engine.store.drainMarks();
  await commit();
  if (!hasFailed) await tasks.goodbye();
}

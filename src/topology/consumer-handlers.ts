// What the log tells the processor: records, assignments, rebalances, the end. Handlers only enqueue and return; none waits or throws.
import type { ConsumerHandlers } from '../broker/log.ts';
import type { Engine } from './engine.ts';
import type { StateMachine } from './processor-state.ts';
import type { TaskSet } from './task-set.ts';

export function consumerHandlers(
  engine: Engine,
  tasks: TaskSet,
  machine: StateMachine,
  on: { readonly revoking: () => void; readonly fail: (error: unknown) => void },
): ConsumerHandlers {
  return {
    onRecords: (at, records) => (engine.stopping.aborted ? 0 : tasks.offer(at, records)),
    onAssigned(partitions) {
      if (engine.stopping.aborted) return;
      tasks.assign(partitions);
      machine.enter('running');
    },
    onRevoking() {
      machine.enter('rebalancing');
      on.revoking();
    },
    onCrashed: on.fail,
    onOffsetReset(at, committed, next) {
      engine.logger.error('offset.reset', { ...at, offset: next, committed_offset: committed });
      tasks.rewind(at, next);
    },
  };
}

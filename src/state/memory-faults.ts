// How a simulator disturbs the in-memory store: every step asks for its fate first and reports when it is done, and both may wait.
// A step whose promise never settles is a process that died there. The store itself never misbehaves on its own.
import type { NotificationId } from '../domain/notification-id.ts';
import { Fault } from '../runtime/fault.ts';

export interface MemoryStep {
  readonly kind: 'flush' | 'resolve' | 'load' | 'sweep' | 'lock' | 'other';
  readonly ids: readonly NotificationId[];
}

/**
 * `done`: as it should be. `fail`: nothing happened and the caller knows no answer. `lose-answer`: it happened and the caller knows
 * no answer. `conflict`: rolled back as by a deadlock (flushes only; elsewhere as `fail`).
 */
export type Fate = 'done' | 'fail' | 'lose-answer' | 'conflict';

export interface MemoryFaults {
  before(step: MemoryStep): Promise<Fate>;
  /** Between the effect and its answer. */
  after(step: MemoryStep): Promise<void>;
}

export const noFaults: MemoryFaults = {
  before: () => Promise.resolve('done'),
  after: () => Promise.resolve(),
};

/** Runs `effect` as its fate wants. @throws Fault STATE_UNAVAILABLE */
export async function stepped<T>(faults: MemoryFaults, step: MemoryStep, effect: () => T): Promise<T> {
  const fate = await faults.before(step);
  if (fate === 'fail' || fate === 'conflict') throw unavailable(step);
  const value = effect();
  await faults.after(step);
  if (fate === 'lose-answer') throw unavailable(step);
  return value;
}

/** Runs a step of the in-memory database on behalf of one store. */
export type StepRunner = <T>(
  kind: MemoryStep['kind'],
  ids: readonly NotificationId[],
  effect: () => T,
) => Promise<T>;

function unavailable(step: MemoryStep): Fault {
  return new Fault('STATE_UNAVAILABLE', `no answer to ${step.kind}`, { retriable: true });
}

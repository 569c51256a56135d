// What a piece of work was caused by, carried along its asynchronous calls: whatever it asks for can cite it without being handed it.
// The kits are built apart, each with its own copy of this module, so the storage itself has one place for the whole process.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Cause {
  /** Of the whole chain of events. */
  readonly correlationId: string;
  /** The id of what directly caused the work. */
  readonly causationId: string;
}

const PLACE = Symbol.for('pin.notifications.cause');
const shared = globalThis as { [PLACE]?: AsyncLocalStorage<Cause> };

function storage(): AsyncLocalStorage<Cause> {
  shared[PLACE] ??= new AsyncLocalStorage<Cause>();
  return shared[PLACE];
}

/** Runs `work`; everything that it calls and awaits sees `cause`. */
export function causedBy<T>(cause: Cause, work: () => T): T {
  return storage().run(cause, work);
}

/** null outside of any. */
export function currentCause(): Cause | null {
  return storage().getStore() ?? null;
}

// Named locks of the in-memory database. Exclusive, and lost with the connection that held them; they never queue.
import type { MemoryDatabase } from './memory-database.ts';
import type { StepRunner } from './memory-faults.ts';
import type { NotificationStore } from './store.ts';

export function memoryLock(database: MemoryDatabase, step: StepRunner): NotificationStore['underLock'] {
  const take = (lock: string) => {
    if (database.locks.has(lock)) return null;
    const holder = new AbortController();
    database.locks.set(lock, holder);
    return holder;
  };
  return async (lock, pass) => {
    let holder: AbortController | null = null;
    try {
      const taken = await step('lock', [], () => {
        holder = take(lock);
        return holder;
      });
      return taken === null ? null : await pass(taken.signal);
    } finally {
      // Also when the answer was lost: the connection that holds the lock is given up with the question.
      if (holder !== null && database.locks.get(lock) === holder) database.locks.delete(lock);
    }
  };
}

/** The connection that holds `lock` dies, as when its process does. */
export function loseLock(database: MemoryDatabase, lock: string): void {
  const holder = database.locks.get(lock);
  database.locks.delete(lock);
  holder?.abort();
}

import { systemClock } from '../../../src/runtime/clock.ts';
import { memoryDatabase } from '../../../src/state/memory-database.ts';
import { memoryStore } from '../../../src/state/memory-store.ts';
import { heldMemory } from './held-memory.ts';
import { interleavingContract } from './interleaving-contract.ts';

interleavingContract('processes on the in-memory store', () => {
  const database = memoryDatabase({ clock: systemClock });
  return Promise.resolve({
    process() {
      const { faults, hold } = heldMemory();
      const store = memoryStore({ clock: systemClock, database, faults });
      const waits = () => new Promise<void>((resolve) => setImmediate(resolve));
      return Promise.resolve({ store, hold, waits });
    },
    row(id) {
      const there = database.rows.get(id);
      if (there === undefined) return Promise.resolve(null);
      const { row, writeToken, payloadHash } = there;
      return Promise.resolve({ ...row, claimToken: row.claim?.token ?? null, writeToken, payloadHash });
    },
    quarantined: () =>
      Promise.resolve([...database.quarantine.values()].map(({ notificationId }) => notificationId)),
    end: () => Promise.resolve(),
  });
});

import { systemClock } from '../../../src/runtime/clock.ts';
import { memoryDatabase } from '../../../src/state/memory-database.ts';
import { memoryStore } from '../../../src/state/memory-store.ts';
import { storeContract } from './store-contract.ts';

storeContract('the in-memory store', () => {
  const database = memoryDatabase({ clock: systemClock });
  return Promise.resolve({
    open: () => Promise.resolve(memoryStore({ clock: systemClock, database })),
    quarantined: () =>
      Promise.resolve(
        [...database.quarantine.values()].map(({ reason, notificationId, offset }) => ({
          reason,
          notificationId,
          offset,
        })),
      ),
    end: () => Promise.resolve(),
  });
});

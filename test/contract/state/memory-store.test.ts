import { systemClock } from '../../../src/runtime/clock.ts';
import { memoryDatabase } from '../../../src/state/memory-database.ts';
import { memoryInbox } from '../../../src/state/memory-inbox.ts';
import { memoryStore } from '../../../src/state/memory-store.ts';
import { storeContract } from './store-contract.ts';

storeContract('the in-memory store', () => {
  const database = memoryDatabase({ clock: systemClock });
  return Promise.resolve({
    inbox: memoryInbox(database),
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

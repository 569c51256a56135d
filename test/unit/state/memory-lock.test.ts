import { expect, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { memoryDatabase } from '../../../src/state/memory-database.ts';
import { loseLock } from '../../../src/state/memory-lock.ts';
import { memoryStore } from '../../../src/state/memory-store.ts';

test('a lock whose holder died is free, its old holder is told, and ending late takes nothing from the new one', async () => {
  const database = memoryDatabase({ clock: systemClock });
  const [dead, alive] = [
    memoryStore({ clock: systemClock, database }),
    memoryStore({ clock: systemClock, database }),
  ];
  let end: () => void = () => undefined;
  const pass = dead.underLock('sweep', async (signal) => {
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    return signal.aborted;
  });
  await Promise.resolve().then(() => Promise.resolve());
  loseLock(database, 'sweep');
  await alive.underLock('sweep', async () => {
    end();
    expect(await pass).toBe(true);
    expect(await dead.underLock('sweep', () => Promise.resolve('mine'))).toBeNull();
  });
});

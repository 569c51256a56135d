// The lives of tasks: one row for each, under a version.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type TaskLife, takeOver } from '../../../src/domain/deaths.ts';
import type { StoreWorld } from './store-world.ts';

function aLife(parts: Partial<TaskLife> = {}): TaskLife {
  const life = randomUUID();
  return { ...takeOver(null, { life, processId: 'p "1" 🚀', nowMs: 1_790_000_000_001 }), ...parts };
}

export function livesContract(world: StoreWorld): void {
  describe('the lives of tasks', () => {
    test('are nobody’s at first, and come back whole', async () => {
      expect(await world.store().lifeOf(7)).toBeNull();
      const full = aLife({
        ...{ deaths: 3, isLiving: false, alone: 'lane "a"', mourned: { life: randomUUID(), guilty: 'x' } },
        ...{ inFlight: ['a', 'topic/1/2'], suspects: ['b'], deadly: ['c', 'd'] },
      });
      expect(await world.store().saveLife(7, full)).toBe(true);
      expect(await world.store().lifeOf(7)).toEqual(full);
      expect(await world.store().lifeOf(8)).toBeNull();
      const next = { ...full, version: 2, mourned: null, alone: null, isLiving: true };
      expect(await world.store().saveLife(7, next)).toBe(true);
      expect(await (await world.another()).lifeOf(7)).toEqual(next);
    });

    test('are written on top of the version before only', async () => {
      const [first, other] = [aLife(), aLife()];
      expect(await world.store().saveLife(0, first)).toBe(true);
      expect(await world.store().saveLife(0, other)).toBe(false);
      expect(await world.store().saveLife(0, { ...other, version: 3 })).toBe(false);
      expect(await world.store().lifeOf(0)).toEqual(first);
    });

    test('are taken by one of two who take them at once', async () => {
      await world.store().saveLife(0, aLife());
      const other = await world.another();
      const answers = await Promise.all(
        [world.store(), other].map((store) => store.saveLife(0, aLife({ version: 2 }))),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
    });
  });
}

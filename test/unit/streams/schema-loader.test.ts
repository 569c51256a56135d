import { describe, expect, it } from 'vitest';
import type { SchemaAnswer } from '../../../src/streams/registry.ts';
import { schemaLoader, UNKNOWN_ID_TTL_MS } from '../../../src/streams/schema-loader.ts';

function aLoader(answers: (id: number) => Promise<SchemaAnswer>) {
  const world = { nowMs: 0, asked: [] as number[] };
  const loader = schemaLoader({
    clock: { nowMs: () => 0, monotonicMs: () => world.nowMs },
    registry: {
      schemaOf(id) {
        world.asked.push(id);
        return answers(id);
      },
    },
  });
  return { loader, world };
}

describe('the schema loader', () => {
  it('asks once for all that wait for one id', async () => {
    const { loader, world } = aLoader(() => Promise.resolve({ kind: 'schema', schema: '"long"' }));
    const answers = await Promise.all([loader.load(1), loader.load(1), loader.load(2)]);
    expect(answers).toHaveLength(3);
    expect(world.asked).toEqual([1, 2]);
  });

  it('remembers an unknown id for a short while only', async () => {
    const { loader, world } = aLoader(() => Promise.resolve({ kind: 'unknown-id' }));
    await loader.load(5);
    world.nowMs = UNKNOWN_ID_TTL_MS - 1;
    expect(await loader.load(5)).toEqual({ kind: 'unknown-id' });
    expect(world.asked).toEqual([5]);
    world.nowMs = UNKNOWN_ID_TTL_MS;
    await loader.load(5);
    expect(world.asked).toEqual([5, 5]);
  });

  it('asks again after a failure', async () => {
    let isAway = true;
    const { loader } = aLoader(() =>
      isAway ? Promise.reject(new TypeError('away')) : Promise.resolve({ kind: 'unknown-id' }),
    );
    await expect(Promise.all([loader.load(1), loader.load(1)])).rejects.toThrow('away');
    isAway = false;
    expect(await loader.load(1)).toEqual({ kind: 'unknown-id' });
  });

  it('does not grow with the number of unknown ids', async () => {
    const { loader, world } = aLoader(() => Promise.resolve({ kind: 'unknown-id' }));
    for (let id = 1; id <= 1_001; id += 1) await loader.load(id);
    await loader.load(1_001);
    expect(world.asked).toHaveLength(1_001);
    await loader.load(1);
    expect(world.asked).toHaveLength(1_002);
  });
});

import { describe, expect, it } from 'vitest';
import { type Lifecycle, lifecycle } from '../../../src/runtime/lifecycle.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { type VirtualTime, virtualTime } from '../../../src/runtime/virtual-time.ts';

function life(stopLimitMs: number): { life: Lifecycle; order: string[]; time: VirtualTime } {
  const time = virtualTime();
  return { life: lifecycle({ ...time, logger: silentLogger }, stopLimitMs), order: [], time };
}

const asked = { kind: 'asked', by: 'SIGTERM' } as const;

describe('lifecycle', () => {
  it('stops the parts in the reverse order of their start, once', async () => {
    const { life: it, order } = life(1_000);
    for (const part of ['store', 'broker', 'tasks'])
      it.add(part, () => Promise.resolve(void order.push(part)));
    await Promise.all([it.stop(asked), it.stop({ kind: 'asked', by: 'again' })]);
    expect(order).toEqual(['tasks', 'broker', 'store']);
    expect((await it.stop(asked)).reason).toEqual(asked);
  });

  it('asks every part to stop even when one fails and one hangs', async () => {
    const { life: it, order, time } = life(1_000);
    it.add('store', () => Promise.resolve(void order.push('store')));
    it.add('hangs', () => new Promise(() => undefined));
    it.add('fails', () => Promise.reject(new TypeError('no')));
    const stopping = it.stop(asked);
    await time.advance(1_000);
    const answer = await stopping;
    expect(order).toEqual(['store']);
    expect(answer.unfinished).toEqual(['fails', 'hangs']);
  });

  it('gives all parts together no more time than the limit', async () => {
    const { life: it, time } = life(1_000);
    let isStopped = false;
    for (const part of ['a', 'b', 'c']) it.add(part, () => new Promise(() => undefined));
    const stopping = it.stop(asked).then(() => {
      isStopped = true;
    });
    await time.advance(999);
    expect(isStopped).toBe(false);
    await time.advance(1);
    expect(isStopped).toBe(true);
    await stopping;
  });

  it('keeps the first reason and tells who waits for the stop', async () => {
    const { life: it } = life(1_000);
    const failed = { kind: 'failed', error: new TypeError('crashed') } as const;
    it.requestStop(failed);
    it.requestStop(asked);
    expect(it.stopping.aborted).toBe(true);
    expect(await it.stopRequested).toBe(failed);
    expect((await it.stop(asked)).reason).toBe(failed);
  });

  it('refuses a part that comes while stopping', async () => {
    const { life: it } = life(1_000);
    await it.stop(asked);
    expect(() => it.add('late', () => Promise.resolve())).toThrow('late came while stopping');
  });
});

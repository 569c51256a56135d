import { describe, expect, it } from 'vitest';
import { type Lifecycle, lifecycle } from '../../../src/runtime/lifecycle.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';

/** Time that moves only when a timer is waited for: each timer fires at once and moves the clock to its due time. */
function life(stopLimitMs: number): { life: Lifecycle; order: string[] } {
  let nowMs = 0;
  const timers = {
    after(delayMs: number, task: () => void) {
      let isCancelled = false;
      setImmediate(() => {
        if (isCancelled) return;
        nowMs += delayMs;
        task();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  return { life: lifecycle({ timers, clock, logger: silentLogger }, stopLimitMs), order: [] };
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
    const { life: it, order } = life(1_000);
    it.add('store', () => Promise.resolve(void order.push('store')));
    it.add('hangs', () => new Promise(() => undefined));
    it.add('fails', () => Promise.reject(new TypeError('no')));
    const answer = await it.stop(asked);
    expect(order).toEqual(['store']);
    expect(answer.unfinished).toEqual(['fails', 'hangs']);
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

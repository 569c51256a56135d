// Holds for the in-memory store. A flush there is one step: it has no time between its statements, takes no locks and never waits, so
// what reached its COMMIT has happened, unless its connection is going to break there.
import type { Fate, MemoryFaults } from '../../../src/state/memory-faults.ts';
import type { Hold, HoldEnd, HoldPoint } from './interleaving-world.ts';

export interface HeldMemory {
  readonly faults: MemoryFaults;
  hold(point: HoldPoint, end?: HoldEnd): Hold;
}

interface Order {
  readonly point: HoldPoint;
  readonly end: HoldEnd;
  readonly reach: () => void;
  readonly released: Promise<void>;
}

export function heldMemory(): HeldMemory {
  let order: Order | null = null;
  let standing: Order | null = null;
  const stand = async ({ reach, released }: Order) => {
    reach();
    await released;
  };
  return {
    faults: {
      async before({ kind }) {
        if (kind !== 'flush' || order === null) return 'done';
        const taken = order;
        order = null;
        if (takesEffectFirst(taken)) standing = taken;
        else await stand(taken);
        return fateOf(taken);
      },
      async after({ kind }) {
        if (kind !== 'flush' || standing === null) return;
        const taken = standing;
        standing = null;
        await stand(taken);
      },
    },
    hold(point, end = 'go') {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const reached = new Promise<void>((reach) => {
        order = { point, end, reach, released };
      });
      return { reached, release };
    },
  };
}

function takesEffectFirst({ point, end }: Order): boolean {
  return point === 'before-answer' || (point !== 'before-statements' && end === 'go');
}

function fateOf({ point, end }: Order): Fate {
  if (end === 'deadlock') return 'conflict';
  if (end === 'go') return 'done';
  return point === 'before-answer' ? 'lose-answer' : 'fail';
}

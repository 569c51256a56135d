// What is nearly due, ordered by due time, in a heap with a cap. It never fires early; when it is full, its feeders pause.
import type { Clock } from '../runtime/clock.ts';
import type { Cancel, Timers } from '../runtime/timers.ts';

export interface WakeHeap {
  isFull(): boolean;
  /** Calls `wake` once, not before `dueAtMs` of the clock. */
  add(dueAtMs: number, owner: object, wake: () => void): void;
  /** Forgets everything that `owner` added. */
  forget(owner: object): void;
  size(): number;
}

interface Entry {
  readonly dueAtMs: number;
  readonly owner: object;
  readonly wake: () => void;
}

export function wakeHeap(deps: { clock: Clock; timers: Timers }, maxEntries: number): WakeHeap {
  let heap: Entry[] = [];
  let cancel: Cancel | null = null;
  let armedForMs = Number.POSITIVE_INFINITY;

  const fire = () => {
    cancel = null;
    armedForMs = Number.POSITIVE_INFINITY;
    const nowMs = deps.clock.nowMs();
    for (let first = heap[0]; first !== undefined && first.dueAtMs <= nowMs; first = heap[0]) {
      pop(heap);
      first.wake();
    }
    arm();
  };
  const arm = () => {
    const first = heap[0];
    if (first === undefined || first.dueAtMs >= armedForMs) return;
    cancel?.();
    armedForMs = first.dueAtMs;
    cancel = deps.timers.after(first.dueAtMs - deps.clock.nowMs(), fire);
  };
  return {
    isFull: () => heap.length >= maxEntries,
    add(dueAtMs, owner, wake) {
      push(heap, { dueAtMs, owner, wake });
      arm();
    },
    forget(owner) {
      const kept = heap.filter((entry) => entry.owner !== owner);
      heap = [];
      for (const entry of kept) push(heap, entry);
    },
    size: () => heap.length,
  };
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.dueAtMs <= entry.dueAtMs) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const leftEntry = heap[left];
    if (leftEntry === undefined) break;
    const rightEntry = heap[left + 1];
    const isRight = rightEntry !== undefined && rightEntry.dueAtMs < leftEntry.dueAtMs;
    const least = isRight ? rightEntry : leftEntry;
    if (last.dueAtMs <= least.dueAtMs) break;
    heap[at] = least;
    at = isRight ? left + 1 : left;
  }
  heap[at] = last;
}

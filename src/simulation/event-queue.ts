// What is going to happen, by time, then by the order in which it was asked for: a binary heap.

export interface Event {
  readonly atMs: number;
  readonly order: number;
  /** null once it was cancelled. */
  task: (() => void) | null;
}

export interface EventQueue {
  add(atMs: number, task: () => void): Event;
  /** Takes the next one that was not cancelled; null when there is none. */
  take(): Event | null;
}

export function eventQueue(): EventQueue {
  const heap: Event[] = [];
  let order = 0;
  return {
    add(atMs, task) {
      const event: Event = { atMs, order, task };
      order += 1;
      rise(heap, event);
      return event;
    },
    take() {
      for (let first = heap[0]; first !== undefined; first = heap[0]) {
        const last = heap.pop();
        if (last !== undefined && last !== first) sink(heap, last);
        if (first.task !== null) return first;
      }
      return null;
    },
  };
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

function rise(heap: Event[], event: Event): void {
  let at = heap.length;
  heap.push(event);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || isBefore(parent, event)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

/** Puts `event` in the place of the first one. */
function sink(heap: Event[], event: Event): void {
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const least = isRight ? right : left;
    if (isBefore(event, least)) break;
    heap[at] = least;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = event;
}

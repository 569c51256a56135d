// After everything that is runnable without waiting. Node runs promise callbacks until none is left before it takes the next tick that one
// of them asked for, so this is exact, and several times cheaper than a turn of the event loop. Nothing that needs the loop (sockets,
// timers) moves meanwhile.

const READY = Promise.resolve();

/** Runs `task` when no promise callback is left to run. */
export function afterMicrotasks(task: () => void): void {
  void READY.then(() => process.nextTick(task));
}

/** Runs `task` right after what runs now. Node's `queueMicrotask` does the same, and makes an async resource for each task. */
export function soon(task: () => void): void {
  void READY.then(task);
}

/** A turn of the event loop: signals and timers get their say. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

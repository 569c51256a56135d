// Per-key order, bounded concurrency across keys. Work of one key runs one after another in the order it was handed in; work of
// different keys runs at the same time. It never runs more than `maxInFlight` pieces, and never drops one.

export interface Lanes {
  hasRoom(): boolean;
  /** Queues `work` behind its key. The work must not reject. Takes a slot until it ended; the caller asked `hasRoom` before. */
  run(key: string, work: () => Promise<void>): void;
  inFlight(): number;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
}

type Work = () => Promise<void>;

export function lanes(maxInFlight: number, onRoom: () => void, onBug: (error: unknown) => void): Lanes {
  const waiting = new Map<string, Work[]>();
  const idlers: (() => void)[] = [];
  let inFlight = 0;

  const ended = () => {
    inFlight -= 1;
    if (inFlight === 0) for (const resolve of idlers.splice(0)) resolve();
    onRoom();
  };
  const drain = async (key: string, queue: Work[]) => {
    for (let work = queue[0]; work !== undefined; work = queue[0]) {
      await work().catch(onBug);
      queue.shift();
      if (queue.length === 0) waiting.delete(key);
      ended();
    }
  };
  return {
    hasRoom: () => inFlight < maxInFlight,
    run(key, work) {
      inFlight += 1;
      const queue = waiting.get(key);
      if (queue !== undefined) {
        queue.push(work);
        return;
      }
      const fresh = [work];
      waiting.set(key, fresh);
      void drain(key, fresh);
    },
    inFlight: () => inFlight,
    idle: () => (inFlight === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  };
}

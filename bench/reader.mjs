// An independent reader of one topic: when the first record of each key came, and how many came again.
export async function openReader(log, topic) {
  const seen = new Map();
  const waiting = new Set();
  let repeats = 0;
  const tail = await log.tail([topic], 'start', ({ key, value }) => {
    const atMs = performance.now();
    const id = Buffer.from(key.buffer, key.byteOffset, key.byteLength).latin1Slice();
    if (seen.has(id)) repeats += 1;
    else {
      seen.set(id, { atMs, value });
      for (const wanted of waiting) wanted(seen.size);
    }
  });
  return {
    seen,
    repeats: () => repeats,
    /** Resolves with true once `count` keys were seen, with false when `limitMs` passed without a new one. */
    until: (count, limitMs) =>
      new Promise((resolve) => {
        let sizeBefore = -1;
        const end = (answer) => {
          clearInterval(watch);
          waiting.delete(look);
          resolve(answer);
        };
        const look = (size) => size >= count && end(true);
        const watch = setInterval(() => {
          if (seen.size === sizeBefore) end(false);
          sizeBefore = seen.size;
        }, limitMs);
        waiting.add(look);
        look(seen.size);
      }),
    stop: () => tail.stop(),
  };
}

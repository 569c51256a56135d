// The paced run of everything that answers on a topic: warm up, wait until that is through, then send at the pace that is timed.
import { paced } from './pace.mjs';

const SILENCE_LIMIT_MS = 30_000;

/**
 * `send(index)` sends the n-th record and says its key; `begin` is called when the warm-up is over. Returns when each key after the warm-up was sent (ms), once the reader has
 * seen them all or has seen none for a while.
 */
export async function sendPaced({ warmUp, count, perSecond }, reader, send, begin = () => {}) {
  await paced(warmUp, perSecond, send);
  await reader.until(warmUp, SILENCE_LIMIT_MS);
  begin();
  const sentMs = new Map();
  await paced(count, perSecond, (index) => {
    const atMs = performance.now();
    sentMs.set(send(warmUp + index), atMs);
  });
  await reader.until(warmUp + count, SILENCE_LIMIT_MS);
  return sentMs;
}

// Says every few seconds that something long is still going on.

const HEARTBEAT_MS = 5_000;

/** `line` is asked for each time, with the whole seconds so far. */
export async function withHeartbeat<T>(
  say: (line: string) => void,
  line: (seconds: number) => string,
  work: () => Promise<T>,
): Promise<T> {
  const startedMs = performance.now();
  const timer = setInterval(
    () => say(line(Math.round((performance.now() - startedMs) / 1000))),
    HEARTBEAT_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

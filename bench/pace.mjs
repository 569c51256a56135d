// An even pace that no answer slows down: what the clock says is due is sent now, however late the timers are.
const TICK_MS = 1;

/** Calls `send(index)` `count` times, `perSecond` of them a second. Resolves after the last. */
export function paced(count, perSecond, send) {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let sent = 0;
    const tick = () => {
      const due = Math.min(count, Math.floor(((performance.now() - startedMs) / 1_000) * perSecond) + 1);
      for (; sent < due; sent += 1) send(sent);
      if (sent === count) resolve();
      else setTimeout(tick, TICK_MS);
    };
    tick();
  });
}

import { memoryLog } from '../../../src/broker/memory/memory-log.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { logContract } from './log-contract.ts';

logContract('the in-memory log', () => {
  const time = virtualTime();
  const log = memoryLog(time);
  let open = true;
  const step = () => {
    if (open) void time.advance(1).then(() => setImmediate(step));
  };
  step();
  return Promise.resolve({
    log: () => log,
    timing: { sessionTimeoutMs: 6_000, heartbeatIntervalMs: 1_000, maxWaitMs: 100 },
    pass: (durationMs) => new Promise((resolve) => void time.timers.after(durationMs, resolve)),
    nowMs: time.clock.monotonicMs,
    close() {
      open = false;
      return Promise.resolve();
    },
  });
});

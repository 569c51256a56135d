// CPU seconds of one contender and of the servers between two moments, per 1,000 notifications.
import { cpuSeconds } from './cpu.mjs';

/** Starts to count now. `pid`: the contender's process. */
export function startMeter(servers, pid) {
  const read = () => ({ process: cpuSeconds(pid), ...servers.cpu() });
  const before = read();
  return {
    /** Seconds since the start, by whose they are; null where nobody can see them. */
    used() {
      const after = read();
      return Object.fromEntries(
        Object.entries(after).map(([who, now]) => [who, difference(now, before[who])]),
      );
    },
  };
}

export function per1000(seconds, count) {
  return Object.fromEntries(
    Object.entries(seconds).map(([who, used]) => [who, used === null ? null : (used / count) * 1_000]),
  );
}

function difference(now, before) {
  return now === null || before === null ? null : now - before;
}

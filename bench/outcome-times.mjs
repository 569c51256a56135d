// What times say: how many outcomes and calls a second, and how long each outcome took.
import { quantile } from './quantiles.mjs';

/** The last tenth waits for the last failures' second calls: a second that is no work. */
const MOST = 0.9;

/** `outcomes`: {atMs}; `startedMs`: when the contender was started; the first `warmUp` outcomes are not timed. */
export function speedOf(outcomes, startedMs, warmUp) {
  const times = outcomes.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const [firstMs = startedMs] = times;
  const warmMs = times[warmUp - 1] ?? firstMs;
  const most = Math.floor(MOST * times.length);
  return {
    coldStartMs: firstMs - startedMs,
    perSecond: rate(most - warmUp, (times[most - 1] ?? warmMs) - warmMs),
    perSecondToTheLast: rate(times.length - warmUp, (times.at(-1) ?? warmMs) - warmMs),
  };
}

/** Calls a second that a vendor answered, in order, without the first `warmUp` and the last tenth. */
export function callsPerSecond({ answeredMs }, warmUp) {
  const most = Math.floor(MOST * answeredMs.length);
  return rate(most - warmUp, (answeredMs[most - 1] ?? 0) - (answeredMs[warmUp] ?? 0));
}

/** Milliseconds from request to outcome where the first call was accepted: the others wait out a backoff by design. */
export function delaysOf(outcomes, ledger) {
  const delays = outcomes
    .filter(({ id }) => ledger.calls.get(id)?.failedMs === null)
    .map(({ startedMs, atMs }) => atMs - startedMs);
  return { p50Ms: quantile(delays, 0.5), p99Ms: quantile(delays, 0.99) };
}

function rate(count, ms) {
  return ms > 0 ? (count / ms) * 1_000 : null;
}

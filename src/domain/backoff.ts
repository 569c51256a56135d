// How long to wait after the n-th failure. Pure, capped, and defined for any attempt number.
import type { Backoff } from './channel.ts';

/**
 * The wait after `failures` failed calls (≥ 1), whole ms. `fraction` in [0, 1) is the draw for the jitter.
 * Jitter is only ever added and stays inside the cap, so that waits at the cap are spread too.
 */
export function backoffMs(backoff: Backoff, failures: number, fraction: number): number {
  const ceilingMs = backoff.capMs / (1 + backoff.jitter);
  const growth = backoff.kind === 'fixed' ? 1 : 2 ** Math.max(0, failures - 1);
  const plainMs = Math.min(backoff.baseMs * growth, ceilingMs);
  return Math.min(backoff.capMs, Math.ceil(plainMs * (1 + backoff.jitter * fraction)));
}

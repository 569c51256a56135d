// How long to wait after the n-th failure. Pure, capped, and defined for any attempt number.
import type { Backoff } from './channel.ts';

/** 2^52 ms is beyond any cap, and base × 2^52 is still a number that can be compared. */
const MAX_DOUBLINGS = 52;

/**
 * The wait after `failures` failed calls (≥ 1), whole ms. `fraction` in [0, 1) is the draw for the jitter.
 * Jitter is only ever added and stays inside the cap; a wait that grew to the cap starts below it, so that waits there are spread too.
 */
export function backoffMs(backoff: Backoff, failures: number, fraction: number): number {
  const { baseMs, capMs, jitter } = backoff;
  const doublings = backoff.kind === 'fixed' ? 0 : Math.min(MAX_DOUBLINGS, Math.max(0, failures - 1));
  const grownMs = Math.min(baseMs * 2 ** doublings, capMs / (1 + jitter));
  const plainMs = Math.max(grownMs, Math.min(baseMs, capMs));
  return Math.min(capMs, Math.ceil(plainMs + Math.min(plainMs * jitter, capMs - plainMs) * fraction));
}

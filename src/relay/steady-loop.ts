// A loop that lives as long as the relay: a server that is away is told once and waited out, with growing pauses; a bug ends the process.
import { isFault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { pause, type Timers } from '../runtime/timers.ts';

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 2_000;

export interface SteadyDeps {
  readonly timers: Timers;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  /** What can only be a bug. */
  readonly onBroken: (error: unknown) => void;
}

/** Runs `step` until the stop; resolves after the last one. `part` names it in logs. Never rejects. */
export async function steadyLoop(deps: SteadyDeps, part: string, step: () => Promise<void>): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  let isTroubled = false;
  while (!deps.stopping.aborted) {
    try {
      await step();
      if (isTroubled) deps.logger.warn('relay.recovered', { part });
      isTroubled = false;
      waitMs = FIRST_WAIT_MS;
    } catch (error) {
      if (!isFault(error)) return deps.onBroken(error);
      if (!isTroubled && !deps.stopping.aborted) {
        deps.logger.warn('relay.trouble', { part, error_code: error.code, detail: messageOf(error) });
      }
      isTroubled = true;
      await pause(deps.timers, waitMs, deps.stopping);
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
  }
}

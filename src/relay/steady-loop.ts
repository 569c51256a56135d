// A loop that lives as long as the relay: a server that is away is told once and waited out, with growing pauses; a bug ends the process.
import { type Fault, isFault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { pause, type Timers } from '../runtime/timers.ts';

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 2_000;

export interface SteadyDeps {
  readonly timers: Timers;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  /** The parts that cannot go on now, and why. */
  readonly troubled: Map<string, string>;
  /** What can only be a bug. */
  readonly onBroken: (error: unknown) => void;
}

/** What `step` gives as soon as it succeeds; null after the stop. Never rejects. */
export async function untilSteady<T>(
  deps: SteadyDeps,
  part: string,
  step: () => Promise<T>,
): Promise<T | null> {
  const done = new AbortController();
  let result: T | null = null;
  await steadyLoop({ ...deps, stopping: AbortSignal.any([deps.stopping, done.signal]) }, part, async () => {
    result = await step();
    done.abort();
  });
  return result;
}

/** Runs `step` until the stop; resolves after the last one. `part` names it in logs. Never rejects. */
export async function steadyLoop(deps: SteadyDeps, part: string, step: () => Promise<void>): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  while (!deps.stopping.aborted) {
    try {
      await step();
      if (deps.troubled.delete(part)) deps.logger.warn('relay.recovered', { part });
      waitMs = FIRST_WAIT_MS;
    } catch (error) {
      if (!isFault(error)) return deps.onBroken(error);
      noteTrouble(deps, part, error);
      await pause(deps.timers, waitMs, deps.stopping);
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
  }
}

function noteTrouble({ troubled, stopping, logger }: SteadyDeps, part: string, error: Fault): void {
  if (!troubled.has(part) && !stopping.aborted)
    logger.warn('relay.trouble', { part, error_code: error.code, detail: messageOf(error) });
  troubled.set(part, error.retriable ? 'a server does not answer' : messageOf(error));
}

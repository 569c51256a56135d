// Named outages: which server does not answer, since when. Work that needs it waits and tries again; nothing is thrown away.
import { setMaxListeners } from 'node:events';
import type { Clock } from '../runtime/clock.ts';
import { type Fault, isFault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { pause, type Timers } from '../runtime/timers.ts';

export type Dependency = 'postgres' | 'registry' | 'kafka';

export type Patience = 'until-stop' | 'until-end';

/** `stopping`: nothing new starts. `ending`: the stop's limit is over. */
export interface StopSignals {
  readonly stopping: AbortSignal;
  readonly ending: AbortSignal;
}

export interface Outages {
  /**
   * Runs `work` until it answers, waiting between tries while `dependency` is away. `until-stop` gives up as soon as the processor
   * stops (the record stays with the log); `until-end` goes on to the stop's limit (an answer must still be recorded).
   * @throws Stopped when that time came; whatever `work` throws that is not a retriable Fault
   */
  riding<T>(dependency: Dependency, work: () => Promise<T>, patience?: Patience): Promise<T>;
  /** What `witness` sees by other means: since when (epoch ms) there is no answer, null when there is. */
  note(dependency: Dependency, witness: string, sinceMs: number | null, error?: Fault): void;
  /** The dependencies that do not answer now, with the epoch ms since when. One log line when it begins and one when it ends. */
  current(): ReadonlyMap<Dependency, number>;
}

/** The processor stops: what was not claimed stays with the log. */
export class Stopped extends Error {}

/** The witness whose work rides over an outage. */
const ASKING = 'asking';
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 2_000;

export function outages(
  deps: { clock: Clock; timers: Timers; logger: Logger },
  signals: StopSignals,
): Outages {
  const since = new Map<Dependency, number>();
  const witnesses = new Map<Dependency, Set<string>>();
  // In an outage everything in flight waits on them; Node would warn of a leak.
  setMaxListeners(0, signals.stopping, signals.ending);
  const begin = (dependency: Dependency, witness: string, sinceMs: number, error?: Fault) => {
    const telling = witnesses.get(dependency) ?? new Set();
    witnesses.set(dependency, telling.add(witness));
    if (since.has(dependency)) return;
    since.set(dependency, sinceMs);
    const why = error === undefined ? {} : { error_code: error.code, detail: messageOf(error) };
    deps.logger.warn('dependency.away', { dependency, ...why });
  };
  const end = (dependency: Dependency, witness: string) => {
    const telling = witnesses.get(dependency);
    const sinceMs = since.get(dependency);
    if (telling === undefined || sinceMs === undefined) return;
    telling.delete(witness);
    if (telling.size > 0) return;
    since.delete(dependency);
    deps.logger.warn('dependency.back', { dependency, duration_ms: deps.clock.nowMs() - sinceMs });
  };
  const attempt = async <T>(dependency: Dependency, work: () => Promise<T>): Promise<T | Fault> => {
    try {
      const answer = await work();
      end(dependency, ASKING);
      return answer;
    } catch (error) {
      if (!isFault(error) || !error.retriable) throw error;
      begin(dependency, ASKING, deps.clock.nowMs(), error);
      return error;
    }
  };
  return {
    async riding(dependency, work, patience = 'until-stop') {
      const signal = patience === 'until-stop' ? signals.stopping : signals.ending;
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
        const answer = await attempt(dependency, work);
        if (!isFault(answer)) return answer;
        if (signal.aborted) throw new Stopped('stopping while a dependency is away');
        await pause(deps.timers, waitMs, signal);
      }
    },
    note(dependency, witness, sinceMs, error) {
      if (sinceMs === null) end(dependency, witness);
      else begin(dependency, witness, sinceMs, error);
    },
    current: () => since,
  };
}

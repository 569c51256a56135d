// One process from its start to its end. Everything that reaches it comes through here: timers and answers. A dead one hears nothing any
// more (its promises never settle and no `finally` runs, as after kill −9). A frozen one hears it all when it goes on: a zombie.
import type { Clock } from '../runtime/clock.ts';
import type { Cancel, Timers } from '../runtime/timers.ts';
import type { SimulatedTime } from './simulated-time.ts';

export interface Incarnation {
  readonly name: string;
  /** Stable over restarts of the same place. */
  readonly slot: string;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Something that arrives at the process in `delayMs`. */
  arrive(delayMs: number, task: () => void): Cancel;
  state(): 'running' | 'frozen' | 'dead';
  /** Since when it gave no sign of life; null while it does. */
  silentSinceMs(): number | null;
  kill(): void;
  /** It goes on by itself after `forMs`. */
  freeze(forMs: number): void;
  thaw(): void;
}

export interface IncarnationDeps {
  readonly time: SimulatedTime;
  /** It fell silent: dead or frozen. */
  readonly onSilent: (process: Incarnation) => void;
  readonly onThaw: (process: Incarnation) => void;
}

interface Arrival {
  task: (() => void) | null;
}

export function incarnation(
  deps: IncarnationDeps,
  { name, slot, skewMs }: { readonly name: string; readonly slot: string; readonly skewMs: number },
): Incarnation {
  const { time } = deps;
  let state: 'running' | 'frozen' | 'dead' = 'running';
  let silentSinceMs: number | null = null;
  let cancelThaw: Cancel = () => undefined;
  let backlog: Arrival[] = [];
  const reach = (arrival: Arrival) => {
    if (state === 'dead' || arrival.task === null) return;
    if (state === 'frozen') backlog.push(arrival);
    else arrival.task();
  };
  const arrive = (delayMs: number, task: () => void): Cancel => {
    if (state === 'dead') return () => undefined;
    const arrival: Arrival = { task };
    const cancel = time.after(delayMs, () => reach(arrival));
    return () => {
      arrival.task = null;
      cancel();
    };
  };
  const thaw = () => {
    if (state !== 'frozen') return;
    state = 'running';
    silentSinceMs = null;
    cancelThaw();
    const waiting = backlog;
    backlog = [];
    for (const arrival of waiting) time.after(0, () => reach(arrival));
    deps.onThaw(self);
  };
  const self: Incarnation = {
    name,
    slot,
    clock: { nowMs: () => time.nowMs() + skewMs, monotonicMs: time.clock.monotonicMs },
    timers: { after: arrive },
    arrive,
    state: () => state,
    silentSinceMs: () => silentSinceMs,
    kill() {
      if (state === 'dead') return;
      state = 'dead';
      silentSinceMs ??= time.nowMs();
      backlog = [];
      cancelThaw();
      deps.onSilent(self);
    },
    freeze(forMs) {
      if (state !== 'running') return;
      state = 'frozen';
      silentSinceMs = time.nowMs();
      cancelThaw = time.after(forMs, thaw);
      deps.onSilent(self);
    },
    thaw,
  };
  return self;
}

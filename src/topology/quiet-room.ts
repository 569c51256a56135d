// Where records run one at a time, with nothing else of this process in flight. Whoever is suspected of having killed a process waits here;
// the room closes the intake, lets all work end, runs a few, and opens the intake again for at least as long as it was closed.
import type { Clock } from '../runtime/clock.ts';
import { pause, type Timers } from '../runtime/timers.ts';
import type { Lanes } from './lanes.ts';

export interface Suspect {
  readonly laneKey: string;
  /** Must not reject. */
  readonly work: () => Promise<void>;
  /** Durable before the work starts; false: it need not be alone any more. Must not reject. */
  readonly before: () => Promise<boolean>;
}

export interface QuietRoom {
  /** False: nothing else may start. */
  isOpen(): boolean;
  add(suspect: Suspect): void;
}

export interface QuietRoomDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  readonly lanes: Pick<Lanes, 'run' | 'idle'>;
  readonly stopping: AbortSignal;
  /** Nobody is alone any more: durable before anything else runs. Must not reject. */
  readonly afterEach: () => Promise<void>;
  /** The intake is open again. */
  readonly onOpen: () => void;
}

/** Longer than a provider call may take: work in flight gets this long to end. */
const QUIET_WITHIN_MS = 20_000;
/** The intake stays closed no longer than this for suspects. */
const ALONE_FOR_MS = 2_000;

export function quietRoom(deps: QuietRoomDeps): QuietRoom {
  const { clock, timers, lanes, stopping } = deps;
  const queue: Suspect[] = [];
  let isOpen = true;
  let isServing = false;

  const aloneOnce = async ({ laneKey, work, before }: Suspect) => {
    if (!(await before())) {
      lanes.run(laneKey, work);
      return;
    }
    await new Promise<void>((resolve) => lanes.run(laneKey, () => work().then(resolve)));
    await deps.afterEach();
  };
  /** Closed from its start to its end. */
  const session = async () => {
    isOpen = false;
    const isQuiet = await Promise.race([
      lanes.idle().then(() => true),
      pause(timers, QUIET_WITHIN_MS, stopping).then(() => false),
    ]);
    const untilMs = clock.monotonicMs() + ALONE_FOR_MS;
    while (isQuiet && clock.monotonicMs() < untilMs && !stopping.aborted) {
      const next = queue.shift();
      if (next === undefined) break;
      await aloneOnce(next);
    }
    isOpen = true;
    deps.onOpen();
  };
  const serve = async () => {
    isServing = true;
    while (queue.length > 0 && !stopping.aborted) {
      const closedAtMs = clock.monotonicMs();
      await session();
      if (queue.length > 0) await pause(timers, clock.monotonicMs() - closedAtMs, stopping);
    }
    isServing = false;
  };
  return {
    isOpen: () => isOpen,
    add(suspect) {
      queue.push(suspect);
      if (!isServing) void serve();
    },
  };
}

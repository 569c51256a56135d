// The processes of the run, each in its place. It knows which ends were ordered: one that was not is a finding.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PinProcess, startPin } from '../support/pin-process.ts';
import type { RealWorld } from '../support/real-service.ts';

export interface Fleet {
  readonly places: number;
  pids(): readonly number[];
  /** Starts a process in the place, which must be empty. */
  start(place: number): Promise<void>;
  /** Ends the process of the place and leaves it empty. Resolves with the exit code; null: the signal ended it. */
  end(place: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  signal(place: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** A process beside the places. */
  extra(): Promise<PinProcess>;
  /** Places whose process ended without being told to, with its last words. */
  endedByThemselves(): readonly string[];
  endAll(): Promise<void>;
  /** Writes what every process has logged, one file each. */
  writeLogs(folder: string): void;
}

const LAST_WORDS = 5;

export async function startFleet(world: RealWorld, places: number): Promise<Fleet> {
  const running = new Map<number, PinProcess>();
  const extras = new Set<PinProcess>();
  const all: PinProcess[] = [];
  const launch = async () => {
    const one = startPin(['run', 'processor'], {
      ...world.environment.variables,
      PIN_HTTP_ADDR: '127.0.0.1:0',
      PIN_LOG_LEVEL: 'info',
    });
    extras.add(one);
    all.push(one);
    await one.logged('process.started');
    return one;
  };
  const fleet: Fleet = {
    places,
    pids: () => [...running.values()].map(({ pid }) => pid),
    async start(place) {
      const one = await launch();
      extras.delete(one);
      running.set(place, one);
    },
    async end(place, signal) {
      const one = running.get(place);
      running.delete(place);
      return (await one?.end(signal))?.code ?? null;
    },
    signal(place, signal) {
      const pid = running.get(place)?.pid;
      if (pid !== undefined) process.kill(pid, signal);
    },
    extra: launch,
    endedByThemselves: () =>
      [...running].flatMap(([place, one]) =>
        one.hasEnded() ? [`process ${place}: ${one.logLines().slice(-LAST_WORDS).join(' ')}`] : [],
      ),
    async endAll() {
      await Promise.all([...running.values(), ...extras].map((one) => one.end('SIGKILL')));
    },
    writeLogs(folder) {
      for (const [index, one] of all.entries())
        writeFileSync(join(folder, `${index}-${one.pid}.log`), one.logLines().join('\n'));
    },
  };
  await Promise.all(Array.from({ length: places }, (_, place) => fleet.start(place)));
  return fleet;
}

// What every command file is handed: the environment, and a place to leave the exit code.
import { Fault } from '../runtime/fault.ts';
import type { Environment } from './environment.ts';
import type { ExitCode } from './exit-codes.ts';

export interface Cli {
  readonly environment: Environment;
  /** Wraps the work of a command: its exit code becomes the one of the process. */
  action<Args extends readonly unknown[]>(
    work: (...args: Args) => Promise<ExitCode>,
  ): (...args: Args) => Promise<void>;
}

export interface Closable {
  close(): Promise<void>;
}

/** Uses what `opening` gives and closes it in any case. */
export async function withOpen<Opened extends Closable, T>(
  opening: Promise<Opened> | Opened,
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** The value of `work`, unless a person interrupts first. @throws Fault INTERRUPTED; the work itself goes on unwatched */
export async function unlessInterrupted<T>(environment: Environment, work: Promise<T>): Promise<T> {
  const { signal } = environment;
  let stop: () => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    stop = () => reject(new Fault('INTERRUPTED', 'interrupted', { retriable: true }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

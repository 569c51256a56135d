// What a command may touch of the process it runs in. Commands take this instead of the globals, so a test runs them like a function.
import type { Clock } from '../runtime/clock.ts';
import type { Ids } from '../runtime/ids.ts';
import type { Timers } from '../runtime/timers.ts';
import type { EnvironmentVariables, ReadFile } from './config/setting-source.ts';

export interface TextSink {
  write(text: string): unknown;
  readonly isTerminal: boolean;
}

interface TextSource extends AsyncIterable<string | Uint8Array> {
  readonly isTerminal: boolean;
}

export interface Environment {
  readonly variables: EnvironmentVariables;
  /** Data. */
  readonly stdout: TextSink;
  /** Talk. */
  readonly stderr: TextSink;
  readonly stdin: TextSource;
  readonly readFile: ReadFile;
  /** Aborts when the process is asked to stop; its reason is the signal's name. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
}

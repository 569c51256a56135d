#!/usr/bin/env -S node --max-semi-space-size=64
// The process behind `pin`: the only file that knows the globals. Everything else gets an Environment.
import closeWithGrace from 'close-with-grace';
import { systemClock } from '../runtime/clock.ts';
import { systemIds } from '../runtime/ids.ts';
import { systemTimers } from '../runtime/timers.ts';
import { readTextFile } from './config/setting-source.ts';
import type { Environment, TextSink } from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { runPin } from './program.ts';
import { reportFailure } from './report-failure.ts';

/** What a command left open may keep the process alive this long after it has ended. */
const LINGER_MS = 3_000;

function sinkOf(stream: NodeJS.WriteStream): TextSink {
  // A reader that went away (`pin list | head`) is no failure.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
  });
  return { write: (text) => stream.write(text), isTerminal: stream.isTTY };
}

const asked = new AbortController();
const environment: Environment = {
  variables: process.env,
  stdout: sinkOf(process.stdout),
  stderr: sinkOf(process.stderr),
  get stdin() {
    return Object.assign(process.stdin, { isTerminal: process.stdin.isTTY });
  },
  readFile: readTextFile,
  signal: asked.signal,
  clock: systemClock,
  timers: systemTimers,
  ids: systemIds,
};

const finished = runPin(process.argv.slice(2), environment);

closeWithGrace(
  { delay: false, logger: false, skip: ['beforeExit'], onSecondSignal: () => process.exit(EXIT.interrupted) },
  async ({ signal, err }) => {
    if (err !== undefined) process.exit(reportFailure(environment, err));
    asked.abort(signal);
    process.exit(await finished);
  },
);

process.exitCode = await finished;
setTimeout(() => process.exit(), LINGER_MS).unref();

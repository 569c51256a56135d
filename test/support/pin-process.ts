// The `pin` binary as users run it: a process of its own that knows nothing but its arguments, its environment and its stdin.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemTimers, within } from '../../src/runtime/timers.ts';
import { until } from './until.ts';

const MAIN = fileURLToPath(new URL('../../dist/app/main.js', import.meta.url));
const COMMAND_LIMIT_MS = 60_000;
const START_LIMIT_MS = 60_000;

export interface PinEnd {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PinProcess {
  readonly pid: number;
  /** Also true when it ended by itself. */
  hasEnded(): boolean;
  stdout(): string;
  /** Every whole line of stderr so far. */
  logLines(): readonly string[];
  /** The first log line of that event. @throws Fault TEST_WAITED */
  logged(event: string): Promise<Readonly<Record<string, unknown>>>;
  /** Sends the signal and waits for the end; kills it when it does not. @throws Fault TEST_WAITED */
  end(signal: NodeJS.Signals): Promise<PinEnd>;
}

/** Runs a command to its end. `variables`: its whole environment besides PATH. */
export async function pin(
  args: readonly string[],
  variables: NodeJS.ProcessEnv,
  input = '',
  limitMs = COMMAND_LIMIT_MS,
): Promise<PinEnd> {
  const { child, ended } = spawnNode([MAIN, ...args], variables);
  child.stdin?.end(input);
  try {
    return await within(systemTimers, limitMs, 'TEST_WAITED', ended);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Starts a process that runs until it is told to end. The caller ends it, whatever happens. */
export function startPin(args: readonly string[], variables: NodeJS.ProcessEnv): PinProcess {
  return startNode([MAIN, ...args], variables);
}

/** A processor that has started. It is among `all` before it has, so that whoever ends them ends one that never did. */
export async function startProcessorAmong(
  all: PinProcess[],
  variables: NodeJS.ProcessEnv,
): Promise<PinProcess> {
  const one = startPin(['run', 'processor'], {
    ...variables,
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_LOG_LEVEL: 'info',
  });
  all.push(one);
  await one.logged('process.started');
  return one;
}

/** As `startPin`, for another program than `pin`: its file and its arguments. */
export function startNode(argv: readonly string[], variables: NodeJS.ProcessEnv): PinProcess {
  const { child, ended, said } = spawnNode(argv, variables);
  child.stdin?.end();
  const logLines = () => said.stderr.split('\n').slice(0, -1);
  return {
    pid: child.pid ?? 0,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stdout: () => said.stdout,
    logLines,
    logged: (event) =>
      until(
        () => `the event ${event}; it said ${said.stderr}`,
        () =>
          logLines()
            .map(asObject)
            .find((line) => line['event'] === event) ?? null,
        START_LIMIT_MS,
      ),
    async end(signal) {
      child.kill(signal);
      try {
        return await within(systemTimers, COMMAND_LIMIT_MS, 'TEST_WAITED', ended);
      } finally {
        child.kill('SIGKILL');
      }
    },
  };
}

function spawnNode(argv: readonly string[], variables: NodeJS.ProcessEnv) {
  const { PATH } = process.env;
  const child: ChildProcess = spawn(process.execPath, [...argv], { env: { PATH, ...variables } });
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  const ended = new Promise<PinEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...said }));
  });
  return { child, ended, said };
}

/** Empty for a line that is no JSON object. */
function asObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

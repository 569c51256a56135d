// One server as a child process: started, stopped, killed and started again on the same port with the same data.
// Promises that it leads a process group of its own, so a Ctrl-C in the terminal reaches us and not it.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ending } from './end-processes.ts';
import type { ServerHandle } from './running-stack.ts';
import type { StackRun } from './stack-run.ts';
import { untilReady } from './until-ready.ts';

export interface ServerRecipe {
  readonly name: ServerHandle['name'];
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly asUser: { readonly uid: number; readonly gid: number } | null;
  readonly ending: Ending;
  readonly gracefulSignal: 'SIGTERM' | 'SIGINT';
  isReady(): Promise<boolean>;
}

/** Includes writing class archives, on a busy machine (class-training.ts). */
const STOP_LIMIT_MS = 60_000;
const SHOWN_LOG_CHARS = 600;

/** Not started yet: call `start`. */
export function nativeServer(run: StackRun, recipe: ServerRecipe): ServerHandle {
  const logPath = join(run.folder, `${recipe.name}.log`);
  let child: ChildProcess | null = null;
  const launch = (): ChildProcess => {
    const log = openSync(logPath, 'a');
    const launched = spawn(recipe.program, recipe.args, {
      cwd: run.folder,
      env: { ...recipe.environment },
      stdio: ['ignore', log, log],
      detached: true,
      ...recipe.asUser,
    });
    closeSync(log);
    run.adopt(recipe.name, launched, recipe.ending);
    launched.on('error', () => {}); // a program that cannot be run has no pid: `hasEnded` tells
    launched.unref();
    return launched;
  };
  return {
    name: recipe.name,
    pid: () => (child === null || hasEnded(child) ? null : (child.pid ?? null)),
    async start() {
      if (child !== null && !hasEnded(child)) return;
      const launched = launch();
      child = launched;
      const ended = () => (hasEnded(launched) ? endOf(launched, logPath) : null);
      await untilReady({ name: recipe.name, isReady: recipe.isReady, ended });
    },
    async stop() {
      if (child === null || hasEnded(child)) return;
      await endChild(child, recipe.gracefulSignal);
    },
    async kill() {
      if (child !== null) await endChild(child, 'SIGKILL');
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Kills it when it does not obey in time. */
function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return Promise.resolve();
  return new Promise((resolve) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    child.ref();
    child.once('exit', () => {
      clearTimeout(limit);
      resolve();
    });
    child.kill(signal);
  });
}

function endOf(child: ChildProcess, logPath: string): string {
  const how = child.signalCode ?? `exit code ${child.exitCode ?? 'unknown: it could not be run'}`;
  return `${how}; its log ends with: ${readFileSync(logPath, 'utf8').trim().slice(-SHOWN_LOG_CHARS)}`;
}

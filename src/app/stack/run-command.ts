// Runs a command to its end, owned by the run: it has a deadline and goes when we go.
// What it prints is kept (bounded) for the sentence of a failure.
import { spawn } from 'node:child_process';
import { Fault } from '../../runtime/fault.ts';
import type { StackRun } from './stack-run.ts';

export interface Command {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly limitMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
  readonly asUser?: { readonly uid: number; readonly gid: number } | null;
  /** Called with each line of its standard output. */
  readonly onLine?: (line: string) => void;
}

const KEPT_OUTPUT_CHARS = 2_000;

/** Returns the last of what it printed. @throws Fault PIN_STACK_COMMAND_FAILED */
export function runCommand(run: StackRun, command: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(command.program, command.args, {
      cwd: command.folder,
      env: { ...command.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...command.asUser,
    });
    run.adopt(command.name, child, 'SIGKILL');
    const limit = setTimeout(() => child.kill('SIGKILL'), command.limitMs);
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT_CHARS);
    };
    child.stderr.on('data', keep);
    child.stdout.on('data', keep);
    if (command.onLine !== undefined) eachLine(child.stdout, command.onLine);
    const fail = (end: string) => {
      clearTimeout(limit);
      const message = `${command.name} ${end}: ${output.trim().slice(-500)}`;
      reject(new Fault('PIN_STACK_COMMAND_FAILED', message, { retriable: true }));
    };
    child.on('error', (error) => fail(error.message));
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      if (code === 0) resolve(output);
      else fail(`ended with ${code ?? signal ?? 'nothing'}`);
    });
  });
}

function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

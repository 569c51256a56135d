// The world of one command in a test: what it prints is kept, what it reads is given, time stands still unless it is moved.
import type { Environment } from '../../../src/app/environment.ts';
import { systemIds } from '../../../src/runtime/ids.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';

export interface TestEnvironment extends Environment {
  readonly out: () => string;
  readonly err: () => string;
  readonly interrupt: () => void;
}

export interface Given {
  readonly variables?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly isTerminal?: boolean;
  readonly files?: Readonly<Record<string, string>>;
}

export const NOW_MS = 1_800_000_000_000;

export function anEnvironment(given: Given = {}): TestEnvironment {
  const printed = { out: [] as string[], err: [] as string[] };
  const asked = new AbortController();
  const { clock, timers } = virtualTime(NOW_MS);
  const isTerminal = given.isTerminal ?? false;
  return {
    variables: given.variables ?? {},
    stdout: { write: (text) => printed.out.push(text), isTerminal },
    stderr: { write: (text) => printed.err.push(text), isTerminal },
    stdin: Object.assign(chunks(given.stdin ?? ''), { isTerminal }),
    readFile(path) {
      const text = given.files?.[path];
      if (text === undefined) throw new TypeError(`no file ${path}`);
      return text;
    },
    signal: asked.signal,
    clock,
    timers,
    ids: systemIds,
    out: () => printed.out.join(''),
    err: () => printed.err.join(''),
    interrupt: () => asked.abort('SIGINT'),
  };
}

async function* chunks(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7) yield await Promise.resolve(text.slice(at, at + 7));
}

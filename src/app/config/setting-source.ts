// Where the text of one setting comes from: the environment, a file that the environment names, or the default.
import { readFileSync } from 'node:fs';
import { messageOf } from '../../runtime/fault.ts';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;

export type Source = 'default' | 'environment' | 'file';

export type RawText =
  | { readonly kind: 'text'; readonly text: string; readonly source: Source }
  | { readonly kind: 'unset' }
  | { readonly kind: 'error'; readonly error: string };

export const readTextFile: ReadFile = (path) => readFileSync(path, 'utf8');

/** An empty variable counts as not set, which is what compose files and shells mean by it. */
export function variable(environment: EnvironmentVariables, name: string): string | null {
  const text = environment[name];
  return text === undefined || text === '' ? null : text;
}

/** Reads NAME, or NAME_FILE where the setting is a secret; both at once is an error. */
export function rawText(
  environment: EnvironmentVariables,
  readFile: ReadFile,
  setting: { readonly env: string; readonly takesFile: boolean; readonly fallback: string | null },
): RawText {
  const direct = variable(environment, setting.env);
  const path = setting.takesFile ? variable(environment, `${setting.env}_FILE`) : null;
  if (direct !== null && path !== null) {
    return { kind: 'error', error: `${setting.env} and ${setting.env}_FILE are both set: keep one` };
  }
  if (direct !== null) return { kind: 'text', text: direct, source: 'environment' };
  if (path !== null) return textOfFile(`${setting.env}_FILE`, path, readFile);
  return setting.fallback === null
    ? { kind: 'unset' }
    : { kind: 'text', text: setting.fallback, source: 'default' };
}

function textOfFile(name: string, path: string, readFile: ReadFile): RawText {
  try {
    const text = readFile(path).trim();
    if (text === '') return { kind: 'error', error: `${name}: ${path} is empty` };
    return { kind: 'text', text, source: 'file' };
  } catch (error) {
    return { kind: 'error', error: `${name}: ${messageOf(error)}` };
  }
}

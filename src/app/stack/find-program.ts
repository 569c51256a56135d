// Finds programs the way a shell does, and Java with the version we need.
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Java {
  readonly program: string;
  /** All it says about itself: a class archive fits only the very same build. */
  readonly version: string;
}

export const OLDEST_JAVA = 17;
const JAVA_LIMIT_MS = 10_000;

/** The first on PATH, or null. */
export function findProgram(environment: Environment, name: string): string | null {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Null when there is none, or only an older one. */
export async function findJava(environment: Environment): Promise<Java | null> {
  const home = environment['JAVA_HOME'];
  const ofHome = home === undefined ? null : join(home, 'bin', 'java');
  const program = ofHome !== null && isExecutable(ofHome) ? ofHome : findProgram(environment, 'java');
  if (program === null) return null;
  try {
    const options = { env: { ...environment }, timeout: JAVA_LIMIT_MS };
    const { stderr } = await promisify(execFile)(program, ['-version'], options);
    const major = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
    return major >= OLDEST_JAVA ? { program, version: stderr } : null;
  } catch {
    return null;
  }
}

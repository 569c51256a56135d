// Postgres refuses to run as root: as root we run it as somebody who owns nothing but its data folder.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries.ts';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const PREFERRED_USERS = ['postgres', 'nobody'];
const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };
const VERSION_LIMIT_MS = 5_000;

/** Null when we are not root: Postgres then runs as ourselves. */
export function postgresUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = PREFERRED_USERS.map((name) => accounts.find((fields) => fields[0] === name)).find(Boolean);
  return account === undefined ? NOBODY : { uid: Number(account[2]), gid: Number(account[3]) };
}

/** A folder of binaries that `user` can run: copied into `folder` when a clone below /root hides them. */
export function reachableBinaries(
  binaries: PostgresBinaries,
  user: ServerUser | null,
  folder: string,
): string {
  if (user === null || binaries.portableRoot === null || canRun(binaries.binFolder, user))
    return binaries.binFolder;
  const copy = join(folder, 'postgres-binaries');
  cpSync(binaries.portableRoot, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

function canRun(binFolder: string, user: ServerUser): boolean {
  try {
    const options = { ...user, cwd: '/', stdio: 'ignore', timeout: VERSION_LIMIT_MS } as const;
    execFileSync(join(binFolder, 'postgres'), ['--version'], options);
    return true;
  } catch {
    return false;
  }
}

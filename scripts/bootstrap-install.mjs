// Makes node_modules and dist agree with the lock file and the sources. Each does nothing when nothing changed: the
// hash of what it was made from lies beside what was made.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runQuietly, step } from './bootstrap-steps.mjs';

const LOCK = join(root, 'package-lock.json');
const MODULES = join(root, 'node_modules');
const LOCK_MARKER = join(MODULES, '.pin-lock-hash');
/** npm writes it last, so it is there only after a whole install. */
const NPM_MARKER = join(MODULES, '.package-lock.json');
const SOURCE_MARKER = join(root, 'dist', '.pin-source-hash');

export async function ensureInstalled() {
  const wanted = hashOf([LOCK]);
  if (!existsSync(LOCK_MARKER) && installedByHand()) writeFileSync(LOCK_MARKER, wanted);
  if (readOrNull(LOCK_MARKER) === wanted) return;
  await step('packages (npm ci)', () =>
    runQuietly('npm', ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund']),
  );
  writeFileSync(LOCK_MARKER, wanted);
}

/** Writes JavaScript without checking types, which takes a third of the time: `npm run check` checks them. */
export async function ensureBuilt() {
  const settings = ['tsconfig.json', 'tsconfig.build.json'].map((name) => join(root, name));
  const wanted = hashOf([...filesBelow(join(root, 'src')), ...settings, LOCK]);
  if (readOrNull(SOURCE_MARKER) === wanted) return;
  rmSync(SOURCE_MARKER, { force: true });
  const tsc = join(MODULES, 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--noCheck', '--declaration', 'false'];
  await step('build (tsc)', () => runQuietly(process.execPath, args));
  writeFileSync(SOURCE_MARKER, wanted);
}

/** Somebody ran npm themselves after the lock file last changed. */
function installedByHand() {
  return existsSync(NPM_MARKER) && statSync(NPM_MARKER).mtimeMs >= statSync(LOCK).mtimeMs;
}

export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

export function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths)
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex');
}

function readOrNull(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

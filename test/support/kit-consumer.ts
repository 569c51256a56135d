// Another team's project: the kits as npm would install them, from what `npm pack` takes along, and no package of the service but those that
// it names itself. What runs in it cannot reach this repository's node_modules by accident.
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGES = join(ROOT, 'packages');
const RUN_LIMIT_MS = 60_000;
const BUILD_LIMIT_MS = 240_000;
const run = promisify(execFile);

export const KITS = readdirSync(PACKAGES).sort();

export interface KitConsumer {
  readonly folder: string;
  /** Runs a program that is a file of the folder, and answers what it printed. */
  node(file: string, args?: readonly string[], variables?: NodeJS.ProcessEnv): Promise<string>;
  write(file: string, text: string): void;
  remove(): void;
}

/** Builds the packages from the source as it is now. */
export async function buildKits(): Promise<void> {
  await run(process.execPath, ['scripts/build-kits.mjs'], { cwd: ROOT, timeout: BUILD_LIMIT_MS });
}

/** `packages`: what the project has besides the kits; each kit's own dependencies are there too. */
export async function kitConsumer(
  kits: readonly string[],
  packages: readonly string[] = [],
): Promise<KitConsumer> {
  const folder = mkdtempSync(join(tmpdir(), 'pin-kits-'));
  const modules = join(folder, 'node_modules');
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('package.json', '{ "type": "module", "private": true }');
  const needed = new Set(packages);
  for (const kit of kits) for (const name of await installKit(kit, modules)) needed.add(name);
  for (const name of needed) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  return {
    folder,
    write,
    async node(file, args = [], variables = {}) {
      const env = { PATH: process.env['PATH'], ...variables };
      const options = { cwd: folder, env, timeout: RUN_LIMIT_MS };
      return (await run(process.execPath, [join(folder, file), ...args], options)).stdout;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The names of its dependencies. */
async function installKit(kit: string, modules: string): Promise<readonly string[]> {
  const home = join(PACKAGES, kit);
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--offline'], {
    cwd: home,
    timeout: RUN_LIMIT_MS,
  });
  const [{ name, files }] = packed(stdout);
  for (const { path } of files) cpSync(join(home, path), join(modules, name, path), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { dependencies?: object };
  return Object.keys(manifest.dependencies ?? {});
}

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

/** npm 11 answers a list, npm 12 an object by name. */
function packed(stdout: string): readonly [Packed] {
  const answer = JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>;
  return [Array.isArray(answer) ? answer[0] : Object.values(answer)[0]] as readonly [Packed];
}

// Builds the packages for other teams. Their code lives in src/, once; each package gets the compiled files that its entries reach, and
// nothing else. A package that reaches an npm package which it does not declare is refused. Does nothing when nothing changed.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { filesBelow, hashOf } from './bootstrap-install.mjs';
import { root } from './bootstrap-steps.mjs';

const compiled = join(root, '.cache', 'kits');
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g;

function compile() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = [
    '--outDir',
    compiled,
    '--tsBuildInfoFile',
    join(compiled, '.tsbuildinfo'),
    '--sourceMap',
    'false',
  ];
  // `npm run check` checks the types.
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck', ...options], {
    cwd: root,
    stdio: 'inherit',
  });
}

/** Every compiled file that `entry` reaches, and every package. */
function reached(entry, files, packages) {
  if (files.has(entry)) return;
  files.add(entry);
  for (const [, name] of readFileSync(entry, 'utf8').matchAll(IMPORT)) {
    if (name.startsWith('.')) reached(targetOf(entry, name), files, packages);
    else if (!name.startsWith('node:') && !builtinModules.includes(name))
      packages.add(name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : name.split('/')[0]);
  }
}

/** A declaration names its neighbours as the source does, with `.ts`. */
function targetOf(from, name) {
  const path = join(dirname(from), name);
  if (!from.endsWith('.d.ts')) return path;
  return path.replace(/(\.d)?\.[jt]s$/, '.d.ts');
}

function buildPackage(folder) {
  const home = join(root, 'packages', folder);
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const files = new Set();
  const packages = new Set();
  for (const { types, default: code } of Object.values(manifest.exports)) {
    for (const path of [types, code]) reached(join(compiled, relative('dist', path)), files, packages);
  }
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
  const foreign = [...packages].filter((name) => !(name in declared));
  if (foreign.length > 0)
    throw new Error(`${manifest.name} reaches ${foreign.join(', ')} without declaring it`);
  const target = join(home, 'dist');
  rmSync(target, { recursive: true, force: true });
  for (const file of files) {
    const path = join(target, relative(compiled, file));
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(file, path);
  }
  if (manifest.files.includes('schemas')) {
    rmSync(join(home, 'schemas'), { recursive: true, force: true });
    cpSync(join(root, 'schemas'), join(home, 'schemas'), { recursive: true });
  }
  console.log(`${manifest.name}: ${files.size} files, packages: ${[...packages].join(', ') || 'none'}`);
}

const folders = readdirSync(join(root, 'packages')).sort();
const manifests = folders.map((folder) => join(root, 'packages', folder, 'package.json'));
const sources = [...filesBelow(join(root, 'src')), ...filesBelow(join(root, 'schemas')), ...manifests];
const wanted = hashOf([
  ...sources,
  join(root, 'tsconfig.build.json'),
  join(root, 'scripts', 'build-kits.mjs'),
]);
const marker = join(compiled, '.pin-source-hash');
const areBuilt = folders.every((folder) => existsSync(join(root, 'packages', folder, 'dist')));
if (!areBuilt || !existsSync(marker) || readFileSync(marker, 'utf8') !== wanted) {
  rmSync(compiled, { recursive: true, force: true });
  compile();
  for (const folder of folders) buildPackage(folder);
  writeFileSync(marker, wanted);
}

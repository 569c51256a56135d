// `npm run mutation [-- --mutate src/domain/breaker.ts]`: lets Stryker mutate the rules. Its packages are installed apart, when they are
// asked for the first time.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STRYKER = 'mutation/node_modules/@stryker-mutator/core/bin/stryker.js';

function run(command, argv) {
  const { status } = spawnSync(command, argv, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(new URL(`../${STRYKER}`, import.meta.url)))
  run('npm', ['ci', '--prefix', 'mutation', '--no-audit', '--no-fund']);
run(process.execPath, [STRYKER, 'run', 'mutation/stryker.config.json', ...process.argv.slice(2)]);

// `npm run check`: types, lint, import rules, dead code and the fast tests, two at a time. Prints what failed in full, the rest as one
// line each with its seconds; exits 1 when anything failed.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

// The longest first, so that the short ones fill the gaps.
const jobs = [
  [
    'eslint',
    ['npx', 'eslint', '.', '--cache', '--cache-location', '.cache/eslint', '--cache-strategy', 'content'],
  ],
  ['fast tests', ['npx', 'vitest', 'run', '--project', 'fast', '--reporter=default']],
  ['types', ['npx', 'tsc', '--noEmit', '-p', 'tsconfig.json']],
  ['import rules', ['node', 'scripts/house.mjs']],
  ['dead code', ['npx', 'knip']],
  ['biome', ['npx', 'biome', 'check', '.']],
  ['generated types', ['node', 'scripts/generate-types.mjs', '--check']],
];

function run([name, [command, ...args]]) {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => {
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
      if (code !== 0) console.log(output);
      resolve(code === 0);
    });
  });
}

async function worker(results) {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) results.push(await run(job));
}

const startedMs = performance.now();
const results = [];
await Promise.all(
  Array.from({ length: Math.max(2, Math.min(4, availableParallelism())) }, () => worker(results)),
);
const failed = results.filter((ok) => !ok).length;
console.log(
  `${results.length - failed} ok, ${failed} failed in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`,
);
process.exitCode = failed === 0 ? 0 : 1;

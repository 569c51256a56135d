// One command on a fresh clone: installs, builds, then runs. Uses nothing but Node, for node_modules may be absent.
//   node scripts/bootstrap.mjs demo|test|stack|build [arguments for it]
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled } from './bootstrap-install.mjs';
import { root, runInForeground, runQuietly, say } from './bootstrap-steps.mjs';
import { runTests } from './bootstrap-test.mjs';

const OLDEST_NODE = [20, 19];
const EXIT_USAGE = 2;
const RUN_STACK = join(root, 'dist', 'app', 'stack', 'run-stack.js');

const targets = {
  demo: runDemo,
  test: runTests,
  stack: (args) => runInForeground(process.execPath, [RUN_STACK, ...args]),
  build: () => 0,
};

/** After the first demo, not before it: nobody should wait longer for the first outcome so that the second comes sooner. */
async function runDemo(args) {
  const code = await runInForeground(process.execPath, [
    join(root, 'dist', 'app', 'main.js'),
    'demo',
    ...args,
  ]);
  if (code === 0) await runQuietly(process.execPath, [RUN_STACK, '--learn'], { talks: true }).catch(() => {});
  return code;
}

function nodeIsNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

async function main([name, ...args]) {
  const target = targets[name];
  if (target === undefined) {
    say(`usage: node scripts/bootstrap.mjs ${Object.keys(targets).join('|')}`);
    return EXIT_USAGE;
  }
  if (!nodeIsNewEnough()) {
    say(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}`);
    return 1;
  }
  // Whoever asks only for a build is running out of node_modules: it must not be replaced under them.
  if (name !== 'build') await ensureInstalled();
  await ensureBuilt();
  return target(args);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(error.message);
  // The line that CI reads, also when it never came to a test.
  if (process.argv[2] === 'test') console.log('0 passed, 1 failed');
  process.exitCode = 1;
}

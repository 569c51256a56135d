// `npm run bench`: ours beside a floor and the broker's own echo, on the same work. bench/README.md says what is measured and how.
import { ensureBuilt } from '../scripts/bootstrap-install.mjs';
import { readOptions } from './options.mjs';

const EXIT_INTERRUPTED = 130;

// Asked to end, it ends what it started: the servers and the processes under test have their own listeners for the exit.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => process.exit(EXIT_INTERRUPTED));

const options = readOptions(process.argv.slice(2));
if (options.build) await ensureBuilt();
const { compare } = await import('./compare.mjs');
process.exitCode = (await compare(options)) ? 0 : 1;

// `npm run chaos -- --minutes N --seed S`: the chaos suite on the real servers. Exits non-zero on any violation.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'chaos'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...(values.minutes === undefined ? {} : { CHAOS_MINUTES: values.minutes }),
    ...(values.seed === undefined ? {} : { CHAOS_SEED: values.seed }),
  },
});
process.exitCode = status ?? 1;

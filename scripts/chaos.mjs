// `npm run chaos -- --minutes N --seed S`: the chaos suite on the real servers. Exits non-zero on any violation.
// --outage SECONDS (6 in runs below 6 minutes, else 20) and --rate PER_SECOND (200) are for machines and hurries of another size.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    outage: { type: 'string' },
    rate: { type: 'string' },
  },
});
const VARIABLES = {
  CHAOS_MINUTES: values.minutes,
  CHAOS_SEED: values.seed,
  CHAOS_OUTAGE_SECONDS: values.outage,
  CHAOS_RATE: values.rate,
};
const given = Object.entries(VARIABLES).filter(([, value]) => value !== undefined);
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'chaos'], {
  stdio: 'inherit',
  env: { ...process.env, ...Object.fromEntries(given) },
});
process.exitCode = status ?? 1;

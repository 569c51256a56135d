// `node dist/app/stack/run-stack.js`: the servers for a developer, until Ctrl-C. Prints the settings that name them as
// shell lines on standard output, and talk on standard error.
//   (nothing)    start all; --redis with Redis
//   --postgres   start only Postgres
//   --plan       say which way it would go, as JSON; starts nothing
//   --learn      the same, after learning what lets servers start faster, if they have been fetched
//   --fetch      the same, after fetching them too
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../runtime/fault.ts';
import { endLeftovers } from './leftovers.ts';
import { fetchServers, learnServers } from './prepare-servers.ts';
import type { StackOptions } from './running-stack.ts';
import { startPostgresOnly, startStack } from './stack.ts';
import { planStack, type StackPlan } from './stack-plan.ts';
import { openRun } from './stack-run.ts';
import { StackUnavailable } from './stack-unavailable.ts';

const EXIT_UNAVAILABLE = 69;
const EXIT_USAGE = 2;
const PREPARING = ['--plan', '--learn', '--fetch'];
const MODES = new Set(['--redis', '--postgres', ...PREPARING]);

const options: StackOptions = {
  redis: process.argv.includes('--redis'),
  say: (line) => process.stderr.write(`${line}\n`),
  environment: process.env,
  cacheFolder: fileURLToPath(new URL('../../../.cache', import.meta.url)),
};

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => !MODES.has(arg));
  if (unknown !== undefined) {
    options.say(`unknown argument ${unknown}; there are ${[...MODES].join(', ')}`);
    return EXIT_USAGE;
  }
  if (PREPARING.some((mode) => args.includes(mode))) return printPlan(args);
  const started = args.includes('--postgres') ? await startPostgresOnly(options) : await startStack(options);
  const settings = 'servers' in started ? settingsOf(started) : { PIN_DATABASE_URL: started.databaseUrl };
  for (const [name, value] of Object.entries(settings)) process.stdout.write(`export ${name}=${value}\n`);
  options.say('Ctrl-C stops them');
  await untilAskedToStop();
  options.say('stopping');
  await started.stop();
  return 0;
}

function settingsOf(stack: Awaited<ReturnType<typeof startStack>>): Record<string, string> {
  return {
    PIN_KAFKA_BROKERS: stack.kafkaBrokers.join(','),
    PIN_REGISTRY_URL: stack.registryUrl,
    PIN_DATABASE_URL: stack.databaseUrl,
    ...(stack.redisUrl === null ? {} : { PIN_REDIS_URL: stack.redisUrl }),
  };
}

async function printPlan(args: readonly string[]): Promise<number> {
  endLeftovers(options.cacheFolder);
  const told = await toldPlan(args).catch((error: unknown) => {
    if (error instanceof StackUnavailable)
      return { kind: 'none', missing: error.missing, howToGet: error.howToGet };
    throw error;
  });
  process.stdout.write(`${JSON.stringify(told)}\n`);
  return told.kind === 'none' ? EXIT_UNAVAILABLE : 0;
}

async function toldPlan(args: readonly string[]): Promise<{ readonly kind: string; readonly why: string }> {
  const plan = await planStack(options);
  if (plan.kind === 'none') throw new StackUnavailable(plan.missing, plan.howToGet);
  if (!args.includes('--plan')) await prepare(plan, args.includes('--fetch'));
  return { kind: plan.kind, why: plan.why };
}

async function prepare(plan: StackPlan, fetches: boolean): Promise<void> {
  if (plan.kind !== 'native') return;
  const run = openRun(options.cacheFolder);
  try {
    if (fetches) await fetchServers({ run, options, plan });
    await learnServers({ run, options, plan });
  } finally {
    run.close();
  }
}

function untilAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    // A listener for signals does not keep the process alive; the timer does.
    const alive = setInterval(() => {}, 60_000);
    const stop = () => {
      clearInterval(alive);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  options.say(messageOf(error, 2_000));
  process.exitCode = error instanceof StackUnavailable ? EXIT_UNAVAILABLE : 1;
}

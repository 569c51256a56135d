// `pin check`: whether `pin run` would start here, asked of the real servers. It changes nothing.
import type { Command } from 'commander';
import { askSources } from '../../relay/open-sources.ts';
import { isFault } from '../../runtime/fault.ts';
import { migrationStatus } from '../../state/migrate.ts';
import { openCodec } from '../../streams/codec.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import type { Config } from '../config/config.ts';
import {
  commandLogger,
  logOfConfig,
  registryOfConfig,
  storeOfConfig,
  topicsOfConfig,
} from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { colorsFor, print, printJson } from '../output.ts';
import { relayAddresses } from '../relay-connections.ts';
import { faultWords } from '../report-failure.ts';
import { unsafeSettings } from '../start-safety.ts';

interface Finding {
  readonly check: string;
  readonly kind: 'ok' | 'unsafe' | 'away';
  /** Why not; empty when it is fine. */
  readonly sentences: readonly string[];
}

export function addCheckCommand(program: Command, cli: Cli): void {
  program
    .command('check')
    .description('Ask the servers whether `pin run` would start. Exit code 78: unsafe, 69: a server is away.')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: { json?: boolean }) => check(cli.environment, options.json === true)));
}

async function check(environment: Environment, asJson: boolean): Promise<ExitCode> {
  const config = loadConfig(environment);
  const checks: readonly (readonly [string, () => Promise<readonly string[]>])[] = [
    ['tables', () => pendingMigrations(config)],
    ['schemas', () => missingSchemas(environment, config)],
    ['start', () => unsafeStart(environment, config)],
    ...(config.relay.sources === null ? [] : [['relay', () => unsafeSources(environment, config)] as const]),
  ];
  const findings: Finding[] = [{ check: 'settings', kind: 'ok', sentences: [] }];
  for (const [name, ask] of checks) findings.push(await unlessInterrupted(environment, findingOf(name, ask)));
  for (const finding of findings) {
    if (asJson) printJson(environment, finding);
    else printFinding(environment, finding);
  }
  if (findings.some(({ kind }) => kind === 'unsafe')) return EXIT.badConfiguration;
  return findings.some(({ kind }) => kind === 'away') ? EXIT.unavailable : EXIT.ok;
}

/** A server that is away hides what could be wrong behind it; something that has to be set first is unsafe. */
async function findingOf(name: string, ask: () => Promise<readonly string[]>): Promise<Finding> {
  try {
    const sentences = await ask();
    return { check: name, kind: sentences.length === 0 ? 'ok' : 'unsafe', sentences };
  } catch (error) {
    if (!isFault(error)) throw error;
    const kind = exitCodeOf(error) === EXIT.badConfiguration ? 'unsafe' : 'away';
    return { check: name, kind, sentences: [faultWords(error)] };
  }
}

async function pendingMigrations(config: Config): Promise<readonly string[]> {
  const { pending } = await migrationStatus({
    databaseUrl: config.database.url,
    schema: config.database.schema,
  });
  return pending.length === 0
    ? []
    : [`migrations are pending: ${pending.join(', ')}; run \`pin migrate up\``];
}

async function missingSchemas(environment: Environment, config: Config): Promise<readonly string[]> {
  const registry = registryOfConfig(environment, config);
  await openCodec({ registry, clock: environment.clock }, topicsOfConfig(config));
  return [];
}

async function unsafeStart(environment: Environment, config: Config): Promise<readonly string[]> {
  const logger = commandLogger(environment, config);
  const log = logOfConfig(environment, config, logger);
  const store = storeOfConfig(environment, config, logger);
  return withOpen(store, () => unsafeSettings(environment, config, { log, store }));
}

async function unsafeSources(environment: Environment, config: Config): Promise<readonly string[]> {
  const asked = await askSources({ logger: commandLogger(environment, config) }, relayAddresses(config));
  for (const { away } of asked) if (away !== null) throw away;
  return asked.flatMap(({ refused }) => refused);
}

function printFinding(environment: Environment, { check: name, kind, sentences }: Finding): void {
  const colors = colorsFor(environment, environment.stdout);
  const marks = { ok: colors.green('ok'), unsafe: colors.red('unsafe'), away: colors.yellow('away') };
  print(environment, `${name}: ${marks[kind]}`);
  for (const sentence of sentences) print(environment, `  ${sentence}`);
}

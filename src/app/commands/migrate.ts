// `pin migrate up|status`: the tables of this release. The service itself never changes them.
import type { Command } from 'commander';
import { type MigrationTarget, migrateUp, migrationStatus } from '../../state/migrate.ts';
import { type Cli, unlessInterrupted } from '../cli.ts';
import type { Config } from '../config/config.ts';
import { commandLogger } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { print, printJson, printTable, say } from '../output.ts';

interface Options {
  readonly json?: boolean;
  readonly dryRun?: boolean;
}

export function addMigrateCommand(program: Command, cli: Cli): void {
  const migrate = program.command('migrate').description('The tables of this release.');
  migrate
    .command('up')
    .description(
      'Apply every pending migration, all together or none. Safe to run at the same time elsewhere.',
    )
    .option('--dry-run', 'only print what would be applied')
    .action(cli.action((options: Options) => up(cli.environment, options)));
  migrate
    .command('status')
    .description('Print what is applied and what is pending. Exit code 1 when something is.')
    .option('--json', 'as one JSON value')
    .action(cli.action((options: Options) => status(cli.environment, options)));
}

async function up(environment: Environment, options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const target = targetOf(config);
  const work =
    options.dryRun === true
      ? migrationStatus(target).then(({ pending }) => pending)
      : migrateUp({ logger: commandLogger(environment, config) }, target);
  const names = await unlessInterrupted(environment, work);
  for (const name of names) print(environment, name);
  say(environment, `${names.length} ${options.dryRun === true ? 'pending' : 'applied'}`);
  return EXIT.ok;
}

async function status(environment: Environment, options: Options): Promise<ExitCode> {
  const found = await unlessInterrupted(environment, migrationStatus(targetOf(loadConfig(environment))));
  const { applied, pending, unknown } = found;
  if (options.json === true) printJson(environment, found);
  else {
    const rows = Object.entries({ applied, pending, unknown }).flatMap(([state, names]) =>
      names.map((name) => [name, state]),
    );
    printTable(environment, ['migration', 'state'], rows);
  }
  if (unknown.length > 0) say(environment, 'a newer release has been at work on these tables');
  return pending.length === 0 ? EXIT.ok : EXIT.failure;
}

function targetOf(config: Config): MigrationTarget {
  return { databaseUrl: config.database.url, schema: config.database.schema };
}

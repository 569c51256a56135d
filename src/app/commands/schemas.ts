// `pin schemas check|push|asyncapi`: the contracts of the topics, against every released version, into the registry, and for people.
import type { Command } from 'commander';
import { asyncApiDocument } from '../../streams/async-api.ts';
import { checkSchemas, type PushedSchema, pushSchemas } from '../../streams/schema-check.ts';
import { type Cli, unlessInterrupted } from '../cli.ts';
import { registryOfConfig, topicsOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { printJson, printTable, say } from '../output.ts';
import { packageVersion } from '../package-version.ts';

interface Options {
  readonly json?: boolean;
}

export function addSchemasCommand(program: Command, cli: Cli): void {
  const schemas = program.command('schemas').description('The contracts of the topics.');
  schemas
    .command('check')
    .description('Check every schema against every released version (FULL_TRANSITIVE), offline.')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => Promise.resolve(check(cli.environment, options))));
  schemas
    .command('push')
    .description('Register every released schema; what is there already stays as it is.')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => push(cli.environment, options)));
  schemas
    .command('asyncapi')
    .description('Print the AsyncAPI document of the topics as the settings name them.')
    .action(cli.action(() => Promise.resolve(printAsyncApi(cli.environment))));
}

function printAsyncApi(environment: Environment): ExitCode {
  const document = asyncApiDocument(topicsOfConfig(loadConfig(environment)), packageVersion());
  environment.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return EXIT.ok;
}

function check(environment: Environment, options: Options): ExitCode {
  const checks = checkSchemas();
  if (options.json === true) for (const one of checks) printJson(environment, one);
  else {
    const rows = checks.map((one) => [
      one.name,
      one.releasedVersions,
      one.isReleased ? 'released' : 'changed since',
      one.problems.length === 0 ? 'ok' : 'broken',
    ]);
    printTable(environment, ['schema', 'versions', 'current', 'compatibility'], rows);
  }
  for (const { name, problems } of checks)
    for (const problem of problems) say(environment, `${name}: ${problem}`);
  return checks.every((one) => one.problems.length === 0) ? EXIT.ok : EXIT.failure;
}

async function push(environment: Environment, options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const pushing = pushSchemas(registryOfConfig(environment, config), topicsOfConfig(config));
  const pushed = await unlessInterrupted(environment, pushing);
  if (options.json === true) for (const one of pushed) printJson(environment, one);
  else printTable(environment, ['subject', 'version', 'answer', 'id'], pushed.map(rowOf));
  const refused = pushed.filter(({ answer }) => answer.kind === 'incompatible');
  for (const { subject, answer } of refused)
    say(environment, `${subject}: ${'detail' in answer ? answer.detail : ''}`);
  return refused.length === 0 ? EXIT.ok : EXIT.refused;
}

function rowOf({ subject, version, answer }: PushedSchema) {
  return [subject, version, answer.kind, 'id' in answer ? answer.id : null];
}

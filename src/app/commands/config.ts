// `pin config`: the settings that are in force, where each came from, and nothing secret.
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { readConfig } from '../config/read-config.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, printTable, say } from '../output.ts';

interface Options {
  readonly json?: boolean;
  readonly docs?: boolean;
}

export function addConfigCommand(program: Command, cli: Cli): void {
  program
    .command('config')
    .description('Print the settings in force, with secrets as ***, or every error in them.')
    .option('--docs', 'with what each setting means')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => Promise.resolve(showConfig(cli.environment, options))));
}

function showConfig(environment: Environment, options: Options): ExitCode {
  const answer = readConfig(environment.variables, environment.readFile);
  if (answer.kind === 'invalid') {
    for (const error of answer.errors) say(environment, error);
    return EXIT.badConfiguration;
  }
  if (options.json === true) {
    for (const { env, shown, source, doc } of answer.effective)
      printJson(environment, { name: env, value: shown, source, doc });
    return EXIT.ok;
  }
  const withDocs = options.docs === true;
  const rows = answer.effective.map(({ env, shown, source, doc }) => [
    env,
    shown,
    source,
    ...(withDocs ? [doc] : []),
  ]);
  printTable(environment, ['setting', 'value', 'from', ...(withDocs ? ['meaning'] : [])], rows);
  return EXIT.ok;
}

// `pin version`
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson } from '../output.ts';
import { packageVersion } from '../package-version.ts';

export function addVersionCommand(program: Command, cli: Cli): void {
  program
    .command('version')
    .description('Print the version of pin and of Node.')
    .option('--json', 'as JSON')
    .action(
      cli.action((options: { json?: boolean }) => {
        const version = packageVersion();
        if (options.json === true) printJson(cli.environment, { version, node: process.version });
        else print(cli.environment, `pin ${version} (node ${process.version})`);
        return Promise.resolve(EXIT.ok);
      }),
    );
}

// `pin demo`: real requests on their way to Sent, on a machine with nothing set up.

import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** Downloads of the servers, beside `src` and beside `dist` alike. */
const CACHE_FOLDER = fileURLToPath(new URL('../../../.cache', import.meta.url));

export function addDemoCommand(program: Command, cli: Cli): void {
  program
    .command('demo')
    .description('Start the servers, send some notifications and watch them on their way.')
    .action(
      cli.action(async () => {
        const { runDemo } = await import('../demo/demo.ts');
        return runDemo(cli.environment, CACHE_FOLDER);
      }),
    );
}

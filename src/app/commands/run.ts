// `pin run`: the service itself, until it is asked to stop.
import { Argument, type Command } from 'commander';
import type { Cli } from '../cli.ts';
import { loadConfig } from '../load-config.ts';

const PARTS = ['processor', 'gateway', 'relay', 'all'] as const;
type Part = (typeof PARTS)[number];

export function addRunCommand(program: Command, cli: Cli): void {
  program
    .command('run')
    .description('Run the service until it is asked to stop (SIGTERM, Ctrl-C).')
    .addArgument(new Argument('[part]', 'which part of it').choices(PARTS).default('all'))
    .action(
      cli.action(async (part: Part) => {
        const config = loadConfig(cli.environment);
        if (part === 'gateway') {
          const { runGateway } = await import('../run-gateway.ts');
          return runGateway(config, cli.environment);
        }
        if (part === 'relay') {
          const { runRelay } = await import('../run-relay.ts');
          return runRelay(config, cli.environment);
        }
        const { runProcessor } = await import('../assembly.ts');
        return runProcessor(config, cli.environment, part === 'all');
      }),
    );
}

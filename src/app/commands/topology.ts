// `pin topology`: the graph that a processor runs, printed without a broker.
import type { Command } from 'commander';
import { topologyMermaid, topologyText } from '../../topology/describe-topology.ts';
import { notificationTopology } from '../../topology/graph.ts';
import type { Cli } from '../cli.ts';
import { topicsOfConfig } from '../connections.ts';
import { EXIT } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { printJson } from '../output.ts';

export function addTopologyCommand(program: Command, cli: Cli): void {
  program
    .command('topology')
    .description('Print what is read, what happens and what is written.')
    .option('--json', 'as one JSON value')
    .option('--mermaid', 'as a Mermaid diagram')
    .action(
      cli.action((options: { json?: boolean; mermaid?: boolean }) => {
        const topology = notificationTopology(topicsOfConfig(loadConfig(cli.environment)));
        if (options.json === true) printJson(cli.environment, topology);
        else
          cli.environment.stdout.write(
            options.mermaid === true ? topologyMermaid(topology) : topologyText(topology),
          );
        return Promise.resolve(EXIT.ok);
      }),
    );
}

// `pin lab`: a vendor of the http protocol on loopback that misbehaves on order, to try things out against.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { runLab } from '../../lab/run-lab.ts';
import type { VendorCapability } from '../../lab/vendor-desk.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../output.ts';

interface Options {
  readonly port: number;
  readonly capability: VendorCapability;
  readonly ledger?: string;
}

const CAPABILITIES = ['key', 'lookup', 'replace', 'none'] as const satisfies readonly VendorCapability[];

export function addLabCommand(program: Command, cli: Cli): void {
  const { environment } = cli;
  program
    .command('lab')
    .description('Run a local provider that misbehaves on order, until it is interrupted.')
    .option('--port <number>', 'where it listens on 127.0.0.1; 0 takes a free one', portNumber, 0)
    .addOption(
      new Option('--capability <name>', 'how a lost call can be resolved')
        .choices(CAPABILITIES)
        .default('key'),
    )
    .option('--ledger <file>', 'append every call to this file as a JSON line')
    .action(
      cli.action(async ({ port, capability, ledger }: Options) => {
        const { clock, timers, signal } = environment;
        const deps = { clock, timers, say: (line: string) => print(environment, line) };
        await runLab(deps, { port, capability, ledgerFile: ledger ?? null }, signal);
        return EXIT.ok;
      }),
    );
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It is not a port.');
  return port;
}

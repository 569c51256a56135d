// `pin` noun verb: the whole command line as one value. Data goes to stdout, talk to stderr, the meaning of the end into the exit code.
import { Command, CommanderError } from 'commander';
import type { Cli } from './cli.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addChannelCommand } from './commands/channel.ts';
import { addCheckCommand } from './commands/check.ts';
import { addConfigCommand } from './commands/config.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDlqCommand } from './commands/dlq.ts';
import { addGateCommand } from './commands/gate.ts';
import { addInboxCommand } from './commands/inbox.ts';
import { addLabCommand } from './commands/lab.ts';
import { addLagCommand } from './commands/lag.ts';
import { addListCommand } from './commands/list.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addOrderCommands } from './commands/orders.ts';
import { addPauseCommands } from './commands/pause.ts';
import { addQuarantineCommand } from './commands/quarantine.ts';
import { addRedriveCommand } from './commands/redrive.ts';
import { addRelayCommand } from './commands/relay.ts';
import { addRunCommand } from './commands/run.ts';
import { addSchemasCommand } from './commands/schemas.ts';
import { addSendCommand } from './commands/send.ts';
import { addShowCommand } from './commands/show.ts';
import { addSimCommand } from './commands/sim.ts';
import { addTokenCommand } from './commands/token.ts';
import { addTopicsCommand } from './commands/topics.ts';
import { addTopologyCommand } from './commands/topology.ts';
import { addVersionCommand } from './commands/version.ts';
import type { Environment } from './environment.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { reportFailure } from './report-failure.ts';

const COMMANDS: readonly ((program: Command, cli: Cli) => void)[] = [
  addDemoCommand,
  addRunCommand,
  addCheckCommand,
  addMigrateCommand,
  addTopicsCommand,
  addSchemasCommand,
  addSendCommand,
  addShowCommand,
  addListCommand,
  addInboxCommand,
  addOrderCommands,
  addRedriveCommand,
  addLagCommand,
  addChannelCommand,
  addPauseCommands,
  addGateCommand,
  addDlqCommand,
  addQuarantineCommand,
  addRelayCommand,
  addAuditCommand,
  addTopologyCommand,
  addTokenCommand,
  addConfigCommand,
  addLabCommand,
  addSimCommand,
  addVersionCommand,
];

/** Runs one command. `args` without the program's own name. Never throws, never ends the process. */
export async function runPin(args: readonly string[], environment: Environment): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const cli: Cli = {
    environment,
    action:
      (work) =>
      async (...given) => {
        exitCode = await work(...given);
      },
  };
  try {
    await pinProgram(cli).parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(environment, error);
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

function pinProgram(cli: Cli): Command {
  const { stdout, stderr } = cli.environment;
  const program = new Command('pin')
    .description('Delivers notifications: never lost, never sent twice where the provider allows it.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(add --help for what there is)')
    .showSuggestionAfterError(true);
  for (const add of COMMANDS) add(program, cli);
  return program;
}

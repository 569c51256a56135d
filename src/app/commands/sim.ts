// `pin sim`: the whole delivery protocol under simulated crashes, zombies and outages, one schedule per seed. No server is needed.
import { type Command, InvalidArgumentError } from 'commander';
import type { SimulationResult } from '../../simulation/run-simulation.ts';
import type { Cli } from '../cli.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { print, printJson, say } from '../output.ts';

interface Options {
  readonly seed: number;
  readonly schedules: number;
  readonly shrink?: boolean;
  readonly reached?: boolean;
  readonly json?: boolean;
}

export function addSimCommand(program: Command, cli: Cli): void {
  const { environment } = cli;
  program
    .command('sim')
    .description(
      'Simulate processes that die, freeze and lose their servers; stop at the first broken promise.',
    )
    .option('--seed <number>', 'first seed; each schedule takes the next one', wholeNumber, 1)
    .option('--schedules <number>', 'how many', wholeNumber, 1_000)
    .option('--shrink', 'tell a failure by the shortest tape that shows it')
    .option('--reached', 'list every fault that happened, and where, with its count')
    .option('--json', 'as one JSON line')
    .action(
      cli.action(async (options: Options) => {
        const { runSimulation } = await import('../../simulation/run-simulation.ts');
        const { seed, schedules, shrink } = options;
        const onProgress = (done: number, perSecond: number) =>
          say(environment, `${done} schedules, ${Math.round(perSecond)}/s, nothing broken so far`);
        const asked = { seed, schedules, shrinks: shrink === true, onProgress };
        const result = await runSimulation(environment, asked, environment.signal);
        if (options.json === true)
          printJson(environment, { ...result, reached: Object.fromEntries(result.reached) });
        else tell(environment, result, options.reached === true);
        return exitOf(result);
      }),
    );
}

function exitOf({ failure, unreached }: SimulationResult): ExitCode {
  return failure === null && unreached.length === 0 ? EXIT.ok : EXIT.failure;
}

function tell(environment: Environment, result: SimulationResult, withReached: boolean): void {
  const { failure, reached } = result;
  const faults = [...reached].reduce((sum, [, count]) => sum + count, 0);
  print(environment, `${result.schedules} schedules, ${Math.round(result.perSecond)}/s, hash ${result.hash}`);
  print(environment, `${faults} faults and troubles of ${reached.size} kinds reached`);
  if (withReached)
    for (const [what, count] of [...reached].sort(([a], [b]) => (a < b ? -1 : 1)))
      print(environment, `  ${String(count).padStart(8)} ${what}`);
  for (const what of result.unreached) print(environment, `never reached: ${what}`);
  if (failure === null) return;
  print(
    environment,
    `\nseed ${failure.seed} breaks ${failure.violation.invariant}: ${failure.violation.detail}`,
  );
  for (const line of failure.story) print(environment, line);
  print(environment, `tape ${JSON.stringify(failure.choices)}`);
}

function wholeNumber(text: string): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It is not a whole number.');
  return value;
}

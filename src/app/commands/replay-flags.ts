// The flags that every replay has, and their numbers.
import { type Command, InvalidArgumentError } from 'commander';

export interface ReplayFlags {
  readonly limit: number;
  readonly rate: number;
  readonly actor?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const DEFAULT_RATE = 50;
const MAX_RATE = 1_000;

export function withReplayFlags(command: Command): Command {
  return command
    .option('--limit <number>', `at most so many, up to ${MAX_LIMIT}`, within(MAX_LIMIT), DEFAULT_LIMIT)
    .option('--rate <number>', 'so many a second', within(MAX_RATE), DEFAULT_RATE)
    .option('--actor <name>', 'who asks; the user of the operating system by default')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only say what would be replayed');
}

function within(max: number) {
  return (text: string): number => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > max) throw new InvalidArgumentError(`It is not a number from 1 to ${max}.`);
    return value;
  };
}

// `pin quarantine list|show|replay`: inputs and rows that could not be applied, kept with their bytes.
import { type Command, InvalidArgumentError } from 'commander';
import { isoTime } from '../../runtime/clock.ts';
import { MAX_LISTED } from '../../state/notification-list.ts';
import type { ListedEntry } from '../../state/notification-reader.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import { commandLogger, readerOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { printJson, printTable } from '../output.ts';
import { addQuarantineReplayCommand } from './quarantine-replay.ts';
import { addQuarantineShowCommand } from './quarantine-show.ts';

interface Options {
  readonly limit: number;
  readonly json?: boolean;
}

const DEFAULT_LIMIT = 100;

export function addQuarantineCommand(program: Command, cli: Cli): void {
  const quarantine = program.command('quarantine').description('What could not be applied.');
  addQuarantineShowCommand(quarantine, cli);
  addQuarantineReplayCommand(quarantine, cli);
  quarantine
    .command('list')
    .description('Print the entries, newest first.')
    .option('--limit <number>', `at most so many, up to ${MAX_LISTED}`, limitOf, DEFAULT_LIMIT)
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => list(cli.environment, options)));
}

async function list(environment: Environment, options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const reader = readerOfConfig(config, commandLogger(environment, config));
  const entries = await unlessInterrupted(
    environment,
    withOpen(reader, () => reader.quarantined(options.limit)),
  );
  if (options.json === true)
    for (const entry of entries) printJson(environment, { ...entry, at: isoTime(entry.atMs) });
  else printTable(environment, HEAD, entries.map(cellsOf));
  return EXIT.ok;
}

const HEAD = ['entry', 'at', 'reason', 'detail', 'notification', 'from', 'bytes', 'replayed'];

function cellsOf(entry: ListedEntry) {
  const origin =
    entry.topic === null ? null : `${entry.topic}/${entry.partition ?? '?'}/${entry.offset ?? '?'}`;
  return [
    entry.entry,
    isoTime(entry.atMs),
    entry.reason,
    entry.detail,
    entry.notificationId,
    origin,
    entry.valueBytes,
    entry.replayedAtMs === null ? null : isoTime(entry.replayedAtMs),
  ];
}

function limitOf(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LISTED)
    throw new InvalidArgumentError(`It is not a number from 1 to ${MAX_LISTED}.`);
  return limit;
}

// `pin list`: notifications by status, error, channel or hold, the newest event first.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHANNELS, type Channel } from '../../domain/channel.ts';
import { ERROR_CODES, type ErrorCode } from '../../domain/codes.ts';
import type { HoldReason } from '../../domain/hold.ts';
import type { FinalReason, Notification, Status } from '../../domain/notification.ts';
import { isoTime } from '../../runtime/clock.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { MAX_LISTED, type NotificationFilter } from '../../state/notification-list.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import { commandLogger, readerOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { rowFacts } from '../notification-facts.ts';
import { printJson, printTable, say } from '../output.ts';

interface Options {
  readonly status?: Lowercase<Status>;
  readonly error?: ErrorCode;
  readonly channel?: Channel;
  readonly held?: HoldReason;
  readonly final?: FinalReason | 'any' | 'none';
  readonly since?: number;
  readonly limit: number;
  readonly json?: boolean;
}

const DEFAULT_LIMIT = 50;
const STATUSES: Readonly<Record<Lowercase<Status>, Status>> = {
  pending: 'Pending',
  failed: 'Failed',
  sent: 'Sent',
};
const HOLDS = [
  'channel-disabled',
  'channel-unconfigured',
  'channel-stub',
  'paused',
  'template-unavailable',
  'quiet-hours',
] as const satisfies readonly HoldReason[];
const FINALS = [
  'any',
  'none',
  'accepted',
  'delivered',
  'assumed',
  'exhausted',
  'refused',
  'failed-webhook',
  'unknown-outcome',
  'expired',
  'cancelled',
] as const satisfies readonly NonNullable<Options['final']>[];

export function addListCommand(program: Command, cli: Cli): void {
  program
    .command('list')
    .description('List notifications, the newest event first.')
    .addOption(new Option('--status <name>').choices(Object.keys(STATUSES)))
    .addOption(new Option('--error <code>', 'the last error').choices(ERROR_CODES))
    .addOption(new Option('--channel <name>').choices(CHANNELS))
    .addOption(new Option('--held <reason>').choices(HOLDS))
    .addOption(new Option('--final <reason>', 'how it ended; any, or none while it has not').choices(FINALS))
    .option('--since <duration>', 'something happened to it within, such as 1h', durationOf)
    .option('--limit <number>', `at most so many, up to ${MAX_LISTED}`, limitOf, DEFAULT_LIMIT)
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => list(cli.environment, options)));
}

async function list(environment: Environment, options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const reader = readerOfConfig(config, commandLogger(environment, config));
  const filter = filterOf(options, environment.clock.nowMs());
  const rows = await unlessInterrupted(
    environment,
    withOpen(reader, () => reader.list(filter)),
  );
  if (options.json === true) for (const row of rows) printJson(environment, rowFacts(row));
  else printTable(environment, HEAD, rows.map(cellsOf));
  if (rows.length === filter.limit)
    say(environment, `there may be more than ${filter.limit}: narrow the list, or raise --limit`);
  return EXIT.ok;
}

const HEAD = ['id', 'channel', 'status', 'final', 'attempts', 'error', 'next'];

function cellsOf(row: Notification) {
  const next =
    row.hold === null ? (row.wakeAtMs === null ? null : isoTime(row.wakeAtMs)) : `held: ${row.hold}`;
  return [row.id, row.channel, row.status, row.final, row.attempts, row.lastError?.code ?? null, next];
}

function filterOf(options: Options, nowMs: number): NotificationFilter {
  const { status, error, channel, held, final, since, limit } = options;
  return {
    limit,
    ...(status === undefined ? {} : { status: STATUSES[status] }),
    ...(error === undefined ? {} : { errorCode: error }),
    ...(channel === undefined ? {} : { channel }),
    ...(held === undefined ? {} : { hold: held }),
    ...(final === undefined ? {} : { final }),
    ...(since === undefined ? {} : { sinceMs: nowMs - since }),
  };
}

function durationOf(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === null) throw new InvalidArgumentError('It is not a duration such as 15m, 1h or 7d.');
  return durationMs;
}

function limitOf(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LISTED)
    throw new InvalidArgumentError(`It is not a number from 1 to ${MAX_LISTED}.`);
  return limit;
}

// `pin lag`: is it stuck, or only waiting? Lag of what is worked on as it comes; waiting, due and late of the retry tiers; and what the
// table says is held or owed.
import type { Command } from 'commander';
import type { LogAdmin } from '../../broker/log.ts';
import { type LagReport, lagReport } from '../../ops/lag-report.ts';
import { roughDuration } from '../../runtime/duration.ts';
import { pause } from '../../runtime/timers.ts';
import type { NotificationCounts } from '../../state/notification-counts.ts';
import type { NotificationReader } from '../../state/notification-reader.ts';
import type { Topics } from '../../streams/topics.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import { commandLogger, logOfConfig, readerOfConfig, topicsOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { print, printJson, printTable } from '../output.ts';

interface Options {
  readonly watch?: boolean;
  readonly json?: boolean;
}

type Report = LagReport<NotificationCounts>;

const WATCH_PERIOD_MS = 2_000;
const CLEAR_SCREEN = '\u001b[2J\u001b[H';

export function addLagCommand(program: Command, cli: Cli): void {
  program
    .command('lag')
    .description('Tell lag from delay: what is behind, what is only waiting, and what is late.')
    .option('--watch', 'again every two seconds, until interrupted')
    .option('--json', 'as one JSON value, one line each time')
    .action(cli.action((options: Options) => lag(cli.environment, options)));
}

async function lag(environment: Environment, options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const logger = commandLogger(environment, config);
  const topics = topicsOfConfig(config);
  const reader = readerOfConfig(config, logger);
  const work = withOpen(reader, () =>
    withOpen(logOfConfig(environment, config, logger).admin(), (admin) =>
      look(environment, { admin, reader, topics }, options),
    ),
  );
  return unlessInterrupted(environment, work);
}

interface Watched {
  readonly admin: LogAdmin;
  readonly reader: NotificationReader;
  readonly topics: Topics;
}

async function look(
  environment: Environment,
  { admin, reader, topics }: Watched,
  options: Options,
): Promise<ExitCode> {
  for (;;) {
    const report = await lagReport(admin, topics, await reader.counts(), environment.clock.nowMs());
    if (options.watch === true && options.json !== true && environment.stdout.isTerminal)
      environment.stdout.write(CLEAR_SCREEN);
    if (options.json === true) printJson(environment, report);
    else printReport(environment, report);
    if (options.watch !== true) return EXIT.ok;
    await pause(environment.timers, WATCH_PERIOD_MS, environment.signal);
    if (environment.signal.aborted) return EXIT.interrupted;
  }
}

function printReport(environment: Environment, { inputs, tiers, rows }: Report): void {
  const ages = (ageMs: number | null) => (ageMs === null ? null : roughDuration(ageMs));
  printTable(
    environment,
    ['topic', 'partition', 'committed', 'end', 'lag', 'oldest at least'],
    inputs.map((one) => [one.topic, one.partition, one.committed, one.end, one.lag, ages(one.oldestMs)]),
  );
  print(environment, '');
  printTable(
    environment,
    ['tier', 'waiting', 'due', 'oldest due'],
    tiers.map((one) => [one.tier, one.waiting, one.due, ages(one.oldestDueMs)]),
  );
  print(environment, '');
  printTable(environment, ['in the table', 'channel', 'count'], rowLines(rows));
}

function rowLines(rows: NotificationCounts) {
  const oldest =
    rows.unpublished === 0 ? '' : `, the oldest ${roughDuration(rows.unpublishedOldestSeconds * 1_000)} ago`;
  return [
    ['late wake-ups', null, rows.overdue],
    [`outcomes not acknowledged${oldest}`, null, rows.unpublished],
    ...rows.failedBacklog.map(({ channel, count }) => ['failed, another attempt follows', channel, count]),
    ...rows.held.map(({ channel, hold, count }) => [`held: ${hold}`, channel, count]),
  ];
}

// `pin audit`: compares what was asked for, what the table says and what was published, on live data, and reports every promise that is
// broken. It only reads.
import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../runtime/duration.ts';
import { openCodec } from '../../streams/codec.ts';
import { type AuditPart, parsePart, WHOLE } from '../audit/audit-part.ts';
import { type AuditReport, runAudit } from '../audit/run-audit.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import {
  commandLogger,
  logOfConfig,
  readerOfConfig,
  registryOfConfig,
  topicsOfConfig,
} from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { print, printJson, say } from '../output.ts';

interface Options {
  readonly quiescent?: boolean;
  readonly ledger?: string;
  readonly part: AuditPart;
  readonly grace: number;
  readonly limit: number;
  readonly json?: boolean;
}

const DEFAULT_GRACE_MS = 60_000;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100_000;

export function addAuditCommand(program: Command, cli: Cli): void {
  program
    .command('audit')
    .description(
      'Compare requests, rows and outcomes: nothing lost, nothing twice, one current outcome each.',
    )
    .option('--quiescent', 'nothing is under way: every request must be done, every row final or held')
    .option('--ledger <file>', 'judge by the ledger of a `pin lab` provider too')
    .option('--part <n/of>', 'only this part of the notifications, such as 1/8', partOf, WHOLE)
    .option(
      '--grace <duration>',
      'how late a wake-up may be beyond the sweep period',
      durationOf,
      DEFAULT_GRACE_MS,
    )
    .option('--limit <number>', 'print at most so many violations', limitOf, DEFAULT_LIMIT)
    .option('--json', 'as one JSON value')
    .action(
      cli.action((options: Options) => unlessInterrupted(cli.environment, audit(cli.environment, options))),
    );
}

async function audit(environment: Environment, options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const logger = commandLogger(environment, config);
  const topics = topicsOfConfig(config);
  const log = logOfConfig(environment, config, logger);
  const registry = registryOfConfig(environment, config);
  const codec = await openCodec({ registry, clock: environment.clock }, topics);
  const replacing = config.providers.filter(({ capability }) => capability === 'replace');
  const report = await withOpen(readerOfConfig(config, logger), (reader) =>
    runAudit(
      { environment, log, reader, codec, topics },
      {
        isQuiescent: options.quiescent === true,
        lateAfterMs: config.processor.sweepPeriodMs + options.grace,
        ledgerFile: options.ledger ?? null,
        part: options.part,
        replacingProviders: new Set(replacing.map(({ providerKey }) => providerKey)),
      },
    ),
  );
  if (options.json === true) printJson(environment, jsonOf(report, options.limit));
  else printReport(environment, report, options.limit);
  return report.violations.length === 0 ? EXIT.ok : EXIT.failure;
}

function jsonOf({ violations, unjudged, counts }: AuditReport, limit: number) {
  const shown = violations
    .slice(0, limit)
    .map(({ rule, id, expected, found }) => ({ rule, id, expected, found }));
  return { violationCount: violations.length, violations: shown, unjudged, counts };
}

function printReport(
  environment: Environment,
  { violations, unjudged, counts }: AuditReport,
  limit: number,
): void {
  for (const { rule, id, expected, found } of violations.slice(0, limit))
    print(environment, `${rule}  ${id}  expected ${expected}; there is ${found}`);
  if (violations.length > limit)
    print(environment, `… and ${violations.length - limit} more (--limit ${limit})`);
  const { ids, requests, rows, outcomes, outcomeRecords, deadLetters, webhooks, messages } = counts;
  say(
    environment,
    `${violations.length} violations in ${ids} notifications: ${requests} requests, ${rows} rows, ${outcomes} outcomes in ${outcomeRecords} records, ${deadLetters} readable dead letters, ${webhooks} webhooks, ${messages} messages in the ledger`,
  );
  for (const [why, count] of Object.entries(unjudged)) say(environment, `not judged: ${count} × ${why}`);
}

function partOf(text: string): AuditPart {
  const part = parsePart(text);
  if (part === null) throw new InvalidArgumentError('It is not a part, such as 1/8.');
  return part;
}

function durationOf(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === null) throw new InvalidArgumentError('It is not a duration such as 30s, 1m or 1h.');
  return durationMs;
}

function limitOf(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw new InvalidArgumentError(`It is not a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

// `pin relay status|reemit`: how far the outbox tables are, and another chance for rows that failed.
import { type Command, InvalidArgumentError } from 'commander';
import { parseNotificationId } from '../../domain/notification-id.ts';
import { parseDuration } from '../../runtime/duration.ts';
import type { Cli } from '../cli.ts';
import { unlessInterrupted } from '../cli.ts';
import { type ReemitOptions, reemitRows } from '../relay-reemit.ts';
import { printRelayStatus } from '../relay-status.ts';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 10_000;

export function addRelayCommand(program: Command, cli: Cli): void {
  const { environment } = cli;
  const relay = program.command('relay').description("Other services' outbox tables.");
  relay
    .command('status')
    .description('Print for each table what is pending, waits for its outcome, or failed.')
    .option('--json', 'as JSON lines')
    .action(
      cli.action((options: { json?: boolean }) =>
        unlessInterrupted(environment, printRelayStatus(environment, options.json === true)),
      ),
    );
  relay
    .command('reemit')
    .description(
      'Try failed rows again: a redrive where the notification exists, else the row is opened and read anew.',
    )
    .argument('[id...]', 'ids of rows', idsOf)
    .option('--source <table>', 'only of this table, as the status names it')
    .option('--reason <text>', 'only those whose failure reason contains it')
    .option('--since <duration>', 'only those that failed within, such as 1h', durationOf)
    .option('--all', 'every failed row')
    .option('--limit <number>', `at most so many of a table, up to ${MAX_LIMIT}`, limitOf, DEFAULT_LIMIT)
    .option('--force', 'also when the message may have arrived')
    .option('--actor <name>', 'who asks; the user of this shell by default')
    .option('--dry-run', 'only print what would be done')
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON lines')
    .action(
      cli.action((ids: readonly string[], options: ReemitOptions) =>
        unlessInterrupted(environment, reemitRows(environment, ids, options)),
      ),
    );
}

function idsOf(text: string, before: readonly string[] = []): readonly string[] {
  const id = parseNotificationId(text);
  if (id === null) throw new InvalidArgumentError('It is not a uuid.');
  return [...before, id];
}

function durationOf(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === null) throw new InvalidArgumentError('It is not a duration such as 15m, 1h or 7d.');
  return durationMs;
}

function limitOf(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw new InvalidArgumentError(`It is not a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

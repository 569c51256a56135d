// `pin inbox list USER`: what one user sees in the app, newest first. Ids and times only for people; titles and bodies are theirs.
import { type Command, InvalidArgumentError } from 'commander';
import { isoTime } from '../../runtime/clock.ts';
import { type InboxItem, type InboxOwner, MAX_INBOX_PAGE } from '../../state/inbox.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import { commandLogger, inboxOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { printJson, printTable, say } from '../output.ts';

interface Options {
  readonly tenant?: string;
  readonly unread?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

const DEFAULT_LIMIT = 50;
const HEAD = ['id', 'channel', 'arrived', 'read'];

export function addInboxCommand(program: Command, cli: Cli): void {
  program
    .command('inbox')
    .description('What people see in the app.')
    .command('list')
    .description('List the inbox of one user, newest first, without titles and bodies.')
    .argument('<user>', 'the user, as requests name it')
    .option('--tenant <id>', "the user's tenant; without it the platform's own")
    .option('--unread', 'only what was not read')
    .option('--limit <number>', `at most so many, up to ${MAX_INBOX_PAGE}`, limitOf, DEFAULT_LIMIT)
    .option('--json', 'as JSON lines')
    .action(
      cli.action((userId: string, options: Options) =>
        list(cli.environment, { tenantId: options.tenant ?? null, userId }, options),
      ),
    );
}

async function list(environment: Environment, owner: InboxOwner, options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const inbox = inboxOfConfig(config, commandLogger(environment, config));
  const { limit, unread: unreadOnly = false } = options;
  const [items, unread] = await unlessInterrupted(
    environment,
    withOpen(inbox, () =>
      Promise.all([inbox.page({ owner, after: null, limit, unreadOnly }), inbox.unread(owner)]),
    ),
  );
  if (options.json === true) for (const item of items) printJson(environment, factsOf(item));
  else printTable(environment, HEAD, items.map(cellsOf));
  say(environment, `${unread.count}${unread.isMore ? ' or more' : ''} unread`);
  if (items.length === limit) say(environment, `there may be more than ${limit}: raise --limit`);
  return EXIT.ok;
}

function factsOf({ id, channel, arrivedAtMs, readAtMs, aggregateType, aggregateId, version }: InboxItem) {
  const read = readAtMs === null ? null : isoTime(readAtMs);
  return { id, channel, arrivedAt: isoTime(arrivedAtMs), readAt: read, aggregateType, aggregateId, version };
}

function cellsOf({ id, channel, arrivedAtMs, readAtMs }: InboxItem) {
  return [id, channel, isoTime(arrivedAtMs), readAtMs === null ? null : isoTime(readAtMs)];
}

function limitOf(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_INBOX_PAGE)
    throw new InvalidArgumentError(`It is not a number from 1 to ${MAX_INBOX_PAGE}.`);
  return limit;
}

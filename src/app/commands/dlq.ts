// `pin dlq list|show|replay`: requests that broke the contract, with the reason and, on request, their bytes.
import { type Command, InvalidArgumentError } from 'commander';
import type { LogRecord } from '../../broker/log.ts';
import { openCodec } from '../../streams/codec.ts';
import { type Cli, unlessInterrupted } from '../cli.ts';
import { commandLogger, logOfConfig, registryOfConfig, topicsOfConfig } from '../connections.ts';
import { deadLetterOf } from '../dead-letter-line.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { print, printJson, printTable, say } from '../output.ts';
import { readTopic } from '../read-topic.ts';
import { recordLine } from '../record-lines.ts';
import { addDlqReplayCommand, onePlaceOf, type Place } from './dlq-replay.ts';

interface ListOptions {
  readonly reason?: string;
  readonly limit: number;
  readonly json?: boolean;
}

interface ShowOptions {
  readonly withContent?: boolean;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000;

export function addDlqCommand(program: Command, cli: Cli): void {
  const dlq = program.command('dlq').description('Requests that broke the contract.');
  dlq
    .command('list')
    .description('Print dead letters with their reasons, oldest first.')
    .option('--reason <name>', 'only these')
    .option('--limit <number>', 'at most so many', limitOf, DEFAULT_LIMIT)
    .option('--json', 'as JSON lines')
    .action(
      cli.action((options: ListOptions) =>
        unlessInterrupted(cli.environment, list(cli.environment, options)),
      ),
    );
  dlq
    .command('show')
    .description('Print one dead letter as JSON.')
    .argument('<partition/offset>', 'as the list shows it', onePlaceOf)
    .option('--with-content', 'show the recipient, the body and the bytes too')
    .action(
      cli.action((place: Place, options: ShowOptions) =>
        unlessInterrupted(cli.environment, show(cli.environment, place, options)),
      ),
    );
  addDlqReplayCommand(dlq, cli);
}

async function list(environment: Environment, options: ListOptions): Promise<ExitCode> {
  const config = loadConfig(environment);
  const log = logOfConfig(environment, config, commandLogger(environment, config));
  const found: ReturnType<typeof deadLetterOf>[] = [];
  await readTopic(environment, log, topicsOfConfig(config).dlq, (record) => {
    const letter = deadLetterOf(record);
    if (options.reason === undefined || letter.reason === options.reason) found.push(letter);
    return found.length <= options.limit;
  });
  const shown = found.slice(0, options.limit);
  if (options.json === true) for (const letter of shown) printJson(environment, letter);
  else {
    const rows = shown.map((letter) => [
      letter.place,
      letter.at,
      letter.reason,
      letter.detail,
      letter.key,
      letter.origin,
    ]);
    printTable(environment, ['place', 'at', 'reason', 'detail', 'key', 'from'], rows);
  }
  if (found.length > options.limit) say(environment, `there are more: raise --limit (now ${options.limit})`);
  return EXIT.ok;
}

async function show(environment: Environment, place: Place, options: ShowOptions): Promise<ExitCode> {
  const config = loadConfig(environment);
  const topics = topicsOfConfig(config);
  const log = logOfConfig(environment, config, commandLogger(environment, config));
  const codec = await openCodec(
    { registry: registryOfConfig(environment, config), clock: environment.clock },
    topics,
  );
  const found: LogRecord[] = [];
  await readTopic(environment, log, topics.dlq, (record) => {
    if (record.partition === place.partition && record.offset === place.offset) found.push(record);
    return found.length === 0;
  });
  const [record] = found;
  if (record === undefined) {
    say(environment, `there is no dead letter at ${place.partition}/${place.offset}`);
    return EXIT.notFound;
  }
  const line = await recordLine({ codec, topics }, record, options.withContent === true);
  print(environment, JSON.stringify(line, null, 2));
  return EXIT.ok;
}

function limitOf(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw new InvalidArgumentError(`It is not a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

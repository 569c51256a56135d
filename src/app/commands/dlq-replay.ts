// `pin dlq replay`: dead letters go back to the request topic as they came, after whatever broke them was mended. A request that was
// replayed and is there already does nothing; one that is still broken becomes a dead letter again.
import { type Command, InvalidArgumentError } from 'commander';
import type { LogRecord } from '../../broker/log.ts';
import { type Replay, replayOfDeadLetter } from '../../ops/replay.ts';
import { type Cli, withOpen } from '../cli.ts';
import { confirmed } from '../confirm.ts';
import { commandLogger, logOfConfig, operatorLogger, topicsOfConfig } from '../connections.ts';
import { deadLetterOf } from '../dead-letter-line.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { actorOf } from '../orders/order.ts';
import { paced } from '../orders/send-paced.ts';
import { print, say } from '../output.ts';
import { readTopic } from '../read-topic.ts';
import { usage } from '../report-failure.ts';
import { type ReplayFlags, withReplayFlags } from './replay-flags.ts';

interface Options extends ReplayFlags {
  readonly reason?: string;
  readonly key?: string;
}

export interface Place {
  readonly partition: number;
  readonly offset: number;
}

interface Replayable {
  readonly letter: LogRecord;
  readonly replay: Replay;
}

export function addDlqReplayCommand(dlq: Command, cli: Cli): void {
  const command = dlq
    .command('replay')
    .description('Produce dead letters to the request topic again, byte for byte.')
    .argument('[places...]', 'as the list shows them, such as 3/17', placesOf)
    .option('--reason <name>', 'all that were refused for this')
    .option('--key <id>', 'all with this key');
  withReplayFlags(command).action(
    cli.action((places: readonly Place[] | undefined, options: Options) =>
      replay(cli.environment, places ?? [], options),
    ),
  );
}

async function replay(
  environment: Environment,
  places: readonly Place[],
  options: Options,
): Promise<ExitCode> {
  if (places.length === 0 && options.reason === undefined && options.key === undefined)
    throw usage('say which: places, --reason or --key');
  const actor = actorOf(environment, options);
  const config = loadConfig(environment);
  const topics = topicsOfConfig(config);
  const log = logOfConfig(environment, config, commandLogger(environment, config));
  const found: Replayable[] = [];
  await readTopic(environment, log, topics.dlq, (letter) => {
    if (isWanted(letter, places, options)) found.push({ letter, replay: replayOfDeadLetter(topics, letter) });
    return found.length <= options.limit;
  });
  const wanted = found.slice(0, options.limit);
  if (wanted.length === 0) {
    say(environment, 'there is no such dead letter');
    return EXIT.notFound;
  }
  if (options.dryRun === true) {
    for (const one of wanted) print(environment, `${placeOf(one)}: ${wordsOf(one)}`);
    return EXIT.ok;
  }
  if (!(await confirmed(environment, `replay ${wanted.length} dead letters?`, options.yes === true)))
    return EXIT.failure;
  const sent = await withOpen(log.producer(), async (producer) => {
    let count = 0;
    await paced(environment, wanted, options.rate, async (one) => {
      if (one.replay.kind !== 'record') return say(environment, `${placeOf(one)}: ${wordsOf(one)}`);
      await producer.send(one.replay.record);
      count += 1;
      print(environment, `${placeOf(one)}: replayed`);
    });
    return count;
  });
  operatorLogger(environment, config).info('dlq.replayed', { actor, count: sent, reason: options.reason });
  if (found.length > options.limit) say(environment, `there are more: raise --limit (now ${options.limit})`);
  if (sent === wanted.length) return EXIT.ok;
  return sent === 0 ? EXIT.refused : EXIT.partlyDone;
}

function isWanted(letter: LogRecord, places: readonly Place[], { reason, key }: Options): boolean {
  const line = deadLetterOf(letter);
  const isNamed = places.some(
    ({ partition, offset }) => partition === letter.partition && offset === letter.offset,
  );
  if (places.length > 0 && !isNamed) return false;
  return (reason === undefined || line.reason === reason) && (key === undefined || line.key === key);
}

const placeOf = ({ letter }: Replayable) => `${letter.partition}/${letter.offset}`;

function wordsOf({ letter, replay: what }: Replayable): string {
  if (what.kind !== 'record')
    return `cannot be replayed: ${what.kind === 'impossible' ? what.why : what.kind}`;
  const { reason, key } = deadLetterOf(letter);
  return `would go to ${what.record.topic}, key ${key ?? 'none'}; it was refused as ${reason ?? '?'}`;
}

function placesOf(text: string, before: readonly Place[] = []): readonly Place[] {
  return [...before, onePlaceOf(text)];
}

export function onePlaceOf(text: string): Place {
  const match = /^(\d{1,6})\/(\d{1,15})$/.exec(text);
  if (match === null) throw new InvalidArgumentError('It is not partition/offset, such as 3/17.');
  return { partition: Number(match[1]), offset: Number(match[2]) };
}

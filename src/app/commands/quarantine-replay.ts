// `pin quarantine replay`: entries go back to the topic they came from, byte for byte, and are marked. What cannot go back says why.
import type { Command } from 'commander';
import { DEADLY_RECORD } from '../../domain/deaths.ts';
import { quarantineWords } from '../../ops/quarantine-words.ts';
import { type Replay, replayOfQuarantined } from '../../ops/replay.ts';
import type { QuarantineBook, QuarantinedBytes } from '../../state/quarantine-book.ts';
import type { Topics } from '../../streams/topics.ts';
import { laneKeyOf } from '../../topology/record-turn.ts';
import { type Cli, withOpen } from '../cli.ts';
import type { Config } from '../config/config.ts';
import { confirmed } from '../confirm.ts';
import {
  commandLogger,
  logOfConfig,
  operatorLogger,
  quarantineOfConfig,
  storeOfConfig,
  topicsOfConfig,
} from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { actorOf } from '../orders/order.ts';
import { paced } from '../orders/send-paced.ts';
import { print, say } from '../output.ts';
import { usage } from '../report-failure.ts';
import { entryOf, replayWords } from './quarantine-show.ts';
import { type ReplayFlags, withReplayFlags } from './replay-flags.ts';

interface Options extends ReplayFlags {
  readonly reason?: string;
  readonly again?: boolean;
}

export function addQuarantineReplayCommand(quarantine: Command, cli: Cli): void {
  const command = quarantine
    .command('replay')
    .description('Put entries back to where they came from, and mark them.')
    .argument('[entries...]', 'their numbers, as the list shows them', entriesOf)
    .option('--reason <name>', 'all of this reason that were not replayed, oldest first')
    .option('--again', 'also entries that were replayed before');
  withReplayFlags(command).action(
    cli.action((entries: readonly number[] | undefined, options: Options) =>
      replay(cli.environment, entries ?? [], options),
    ),
  );
}

async function replay(
  environment: Environment,
  numbers: readonly number[],
  options: Options,
): Promise<ExitCode> {
  const { reason, limit } = options;
  if ((numbers.length === 0) === (reason === undefined)) throw usage('say which: either entries or --reason');
  const actor = actorOf(environment, options);
  const config = loadConfig(environment);
  const topics = topicsOfConfig(config);
  return withOpen(quarantineOfConfig(config, commandLogger(environment, config)), async (book) => {
    const entries = await (reason === undefined
      ? book.entries(numbers.slice(0, limit))
      : book.waiting(reason, limit));
    const desk = { environment, config, topics, book, actor };
    return entries.length === 0 ? nothingThere(environment) : decided(desk, entries, numbers.length, options);
  });
}

function nothingThere(environment: Environment): ExitCode {
  say(environment, 'there is no such entry in the quarantine');
  return EXIT.notFound;
}

async function decided(
  desk: Desk,
  entries: readonly QuarantinedBytes[],
  asked: number,
  options: Options,
): Promise<ExitCode> {
  const { environment, config, topics, actor } = desk;
  if (options.dryRun === true) {
    for (const one of entries) print(environment, `${one.entry}: ${wordsOf(topics, one, options)}`);
    return EXIT.ok;
  }
  if (!(await confirmed(environment, `replay ${entries.length} entries?`, options.yes === true)))
    return EXIT.failure;
  const count = await replayed(desk, entries, options);
  const { reason } = options;
  operatorLogger(environment, config).info('quarantine.replayed', { actor, count, reason });
  if (count === Math.max(entries.length, asked)) return EXIT.ok;
  return count === 0 ? EXIT.refused : EXIT.partlyDone;
}

interface Desk {
  readonly environment: Environment;
  readonly config: Config;
  readonly topics: Topics;
  readonly book: QuarantineBook;
  readonly actor: string;
}

/** How many went back. */
async function replayed(desk: Desk, entries: readonly QuarantinedBytes[], options: Options): Promise<number> {
  const { environment, topics, book, actor } = desk;
  let count = 0;
  await puttingBack(desk, async (back) => {
    await paced(environment, entries, options.rate, async (one) => {
      const what = replayable(topics, one, options);
      if (what.kind === 'impossible')
        return say(environment, `${one.entry}: ${wordsOf(topics, one, options)}`);
      await back(one, what);
      await book.replayed(one.entry, actor);
      count += 1;
      print(environment, `${one.entry}: replayed`);
    });
  });
  return count;
}

function replayable(topics: Topics, entry: QuarantinedBytes, { again }: Options): Replay {
  if (entry.replayedAtMs !== null && again !== true)
    return { kind: 'impossible', why: `${entry.replayedBy ?? 'somebody'} replayed it before (--again)` };
  return replayOfQuarantined(topics, entry);
}

function wordsOf(topics: Topics, entry: QuarantinedBytes, options: Options): string {
  return `${replayWords(replayable(topics, entry, options))} · ${quarantineWords(entry.reason)}`;
}

function laneOf({ topic, partition, offset, key }: QuarantinedBytes): string {
  return laneKeyOf({ topic: topic ?? '', partition: partition ?? 0, offset: Number(offset ?? 0), key });
}

type Back = (entry: QuarantinedBytes, what: Exclude<Replay, { kind: 'impossible' }>) => Promise<void>;

/** A notification that was left alone as deadly is no longer, before its record comes back. */
async function puttingBack(
  { environment, config, book }: Desk,
  use: (back: Back) => Promise<void>,
): Promise<void> {
  const logger = commandLogger(environment, config);
  await withOpen(storeOfConfig(environment, config, logger), (store) =>
    withOpen(logOfConfig(environment, config, logger).producer(), (producer) =>
      use(async (entry, what) => {
        if (what.kind === 'park') return store.park(what.webhook, config.retention.parkedMs);
        if (entry.reason === DEADLY_RECORD) await book.forgive(laneOf(entry));
        await producer.send(what.record);
      }),
    ),
  );
}

function entriesOf(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, entryOf(text)];
}

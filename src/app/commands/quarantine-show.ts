// `pin quarantine show ENTRY`: one entry with the reason in words, what it held as far as it can be read, and whether it can go back.
import { type Command, InvalidArgumentError } from 'commander';
import type { LogRecord } from '../../broker/log.ts';
import { quarantineWords } from '../../ops/quarantine-words.ts';
import { type Replay, replayOfQuarantined } from '../../ops/replay.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { QuarantinedBytes } from '../../state/quarantine-book.ts';
import { openCodec } from '../../streams/codec.ts';
import type { Topics } from '../../streams/topics.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import type { Config } from '../config/config.ts';
import { commandLogger, quarantineOfConfig, registryOfConfig, topicsOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { print, say } from '../output.ts';
import { recordLine } from '../record-lines.ts';

interface Options {
  readonly withContent?: boolean;
}

export function addQuarantineShowCommand(quarantine: Command, cli: Cli): void {
  quarantine
    .command('show')
    .description('Print one entry as JSON, with its reason in words.')
    .argument('<entry>', 'its number, as the list shows it', entryOf)
    .option('--with-content', 'show the recipient, the body and the bytes too')
    .action(
      cli.action((entry: number, options: Options) =>
        unlessInterrupted(cli.environment, show(cli.environment, entry, options)),
      ),
    );
}

async function show(environment: Environment, number: number, options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const book = quarantineOfConfig(config, commandLogger(environment, config));
  const [entry] = await withOpen(book, () => book.entries([number]));
  if (entry === undefined) {
    say(environment, `there is no entry ${number} in the quarantine`);
    return EXIT.notFound;
  }
  const topics = topicsOfConfig(config);
  const { key, value, atMs, replayedAtMs, ...facts } = entry;
  const shown = {
    ...facts,
    at: isoTime(atMs),
    words: quarantineWords(entry.reason),
    replay: replayWords(replayOfQuarantined(topics, entry)),
    replayedAt: replayedAtMs === null ? null : isoTime(replayedAtMs),
    key: key === null ? null : Buffer.from(key).toString('utf8'),
    valueBytes: value?.length ?? null,
    ...(await heldBy(environment, config, topics, entry, options.withContent === true)),
  };
  print(environment, JSON.stringify(shown, null, 2));
  return EXIT.ok;
}

export function replayWords(replay: Replay): string {
  switch (replay.kind) {
    case 'record':
      return `can go back to ${replay.record.topic}`;
    case 'park':
      return 'can be kept again for whoever knows its message';
    case 'impossible':
      return `cannot: ${replay.why}`;
  }
}

/** The value as its topic's schema says, as far as there is one. */
async function heldBy(
  environment: Environment,
  config: Config,
  topics: Topics,
  entry: QuarantinedBytes,
  withContent: boolean,
): Promise<object> {
  const { topic, partition, offset, atMs, key, value } = entry;
  if (topic === null || !topics.inputs.includes(topic))
    return withContent && value !== null ? { value: Buffer.from(value).toString('base64') } : {};
  const codec = await openCodec(
    { registry: registryOfConfig(environment, config), clock: environment.clock },
    topics,
  );
  const place = { topic, partition: partition ?? 0, offset: Number(offset ?? 0) };
  const record: LogRecord = { ...place, timestampMs: atMs, key, value, headers: {} };
  const line = await recordLine({ codec, topics }, record, withContent);
  return { value: line.value, ...(line.problem === undefined ? {} : { problem: line.problem }) };
}

export function entryOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It is not the number of an entry.');
  return Number(text);
}

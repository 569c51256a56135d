// `pin topics tail`: records of our topics as JSON lines, as they come.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LogRecord } from '../../broker/log.ts';
import { pause } from '../../runtime/timers.ts';
import { openCodec } from '../../streams/codec.ts';
import type { Topics } from '../../streams/topics.ts';
import { type Cli, unlessInterrupted } from '../cli.ts';
import { commandLogger, logOfConfig, registryOfConfig, topicsOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { printJson, say } from '../output.ts';
import { recordLine } from '../record-lines.ts';
import { usage } from '../report-failure.ts';

interface Options {
  readonly from: 'start' | 'end';
  readonly count?: number;
  readonly withContent?: boolean;
}

/** Records read and not yet printed; beyond it reading has outrun the reader of stdout and the tail ends. */
const MAX_UNPRINTED = 100_000;
const LOOK_EVERY_MS = 50;

export function addTailCommand(topics: Command, cli: Cli): void {
  topics
    .command('tail')
    .description('Print records as JSON lines, without recipients and bodies, until interrupted.')
    .argument('[topics...]', 'requested, webhooks, commands, retry, dispatched, dlq, or a full name', [
      'dispatched',
    ])
    .addOption(new Option('--from <where>', 'where to begin').choices(['start', 'end']).default('end'))
    .option('--count <number>', 'stop after so many', countOf)
    .option('--with-content', 'show recipients, bodies and data too')
    .action(
      cli.action((names: readonly string[], options: Options) => tail(cli.environment, names, options)),
    );
}

async function tail(environment: Environment, names: readonly string[], options: Options): Promise<ExitCode> {
  const config = loadConfig(environment);
  const topics = topicsOfConfig(config);
  const wanted = names.flatMap((name) => topicsNamed(topics, name));
  const { clock, timers, signal } = environment;
  const opening = openCodec({ registry: registryOfConfig(environment, config), clock }, topics);
  const codec = await unlessInterrupted(environment, opening);
  const log = logOfConfig(environment, config, commandLogger(environment, config));
  const unprinted: LogRecord[] = [];
  const reader = await unlessInterrupted(
    environment,
    log.tail(wanted, options.from, (record) => unprinted.push(record)),
  );
  try {
    let leftToPrint = options.count ?? Number.POSITIVE_INFINITY;
    while (leftToPrint > 0 && !signal.aborted && unprinted.length <= MAX_UNPRINTED) {
      const record = unprinted.shift();
      if (record === undefined) await pause(timers, LOOK_EVERY_MS, signal);
      else {
        printJson(environment, await recordLine({ codec, topics }, record, options.withContent === true));
        leftToPrint -= 1;
      }
    }
    if (leftToPrint === 0) return EXIT.ok;
    if (signal.aborted) return EXIT.interrupted;
    say(
      environment,
      `more than ${MAX_UNPRINTED} records wait to be printed: read fewer topics, or from the end`,
    );
    return EXIT.failure;
  } finally {
    await reader.stop();
  }
}

function topicsNamed(topics: Topics, name: string): readonly string[] {
  const found = topics.contracts
    .filter(({ role, topic }) => role === name || topic === name)
    .map(({ topic }) => topic);
  if (found.length > 0) return found;
  const roles = [...new Set(topics.contracts.map(({ role }) => role))].join(', ');
  throw usage(`${name} is none of our topics: there are ${roles}`);
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is not a number from 1.');
  return Number(text);
}

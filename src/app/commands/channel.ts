// `pin channel list|enable|disable|set`: what operators may set for each channel. A running processor follows within seconds.
import { Argument, type Command, Option } from 'commander';
import { CHANNELS, type Channel, type ChannelConfig, defaultChannelConfig } from '../../domain/channel.ts';
import { formatDuration } from '../../runtime/duration.ts';
import type { NotificationStore } from '../../state/store.ts';
import { type ChannelFlags, changedChannel } from '../channel-change.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import type { Config } from '../config/config.ts';
import { commandLogger, storeOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { printJson, printTable, say } from '../output.ts';

interface Options {
  readonly json?: boolean;
  readonly dryRun?: boolean;
}

export function addChannelCommand(program: Command, cli: Cli): void {
  const { environment } = cli;
  const channel = program.command('channel').description('What is set for each channel.');
  channel
    .command('list')
    .description('Print every channel with its settings.')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => list(environment, options)));
  for (const [verb, isEnabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    changing(
      channel,
      verb,
      isEnabled
        ? 'Let the channel send; held notifications are released.'
        : 'Hold everything on the channel.',
    ).action(
      cli.action((name: Channel, options: Options) =>
        change(environment, name, { enabled: isEnabled }, options),
      ),
    );
  }
  changing(channel, 'set', 'Change some settings of a channel; the others stay.')
    .option('--provider <name>', 'the provider instance, as in PIN_PROVIDER_<NAME>_…; - for none')
    .option('--max-attempts <number>', 'calls per budget, the first included')
    .addOption(new Option('--backoff <kind>').choices(['fixed', 'exponential']))
    .option('--backoff-base <duration>', 'the first wait, such as 30s')
    .option('--backoff-cap <duration>', 'the longest wait')
    .option('--backoff-jitter <share>', 'share of the wait that is added at random, 0 to 1')
    .addOption(new Option('--on-unknown <policy>').choices(['hold', 'assume-sent', 'resend']))
    .option('--hold-until <duration>', 'how long an unknown outcome waits for a webhook')
    .option('--release-per-second <number>', 'pace at which held notifications are released')
    .action(
      cli.action((name: Channel, options: Options & ChannelFlags) =>
        change(environment, name, options, options),
      ),
    );
}

function changing(parent: Command, verb: string, description: string): Command {
  return parent
    .command(verb)
    .description(description)
    .addArgument(new Argument('<channel>').choices(CHANNELS))
    .option('--dry-run', 'only print what it would be')
    .option('--json', 'as JSON');
}

async function list(environment: Environment, options: Options): Promise<ExitCode> {
  return withStore(environment, async (store) => {
    const known = new Map((await store.channels()).map((config) => [config.channel, config]));
    if (options.json === true) for (const config of known.values()) printJson(environment, config);
    else
      printTable(
        environment,
        HEAD,
        CHANNELS.map((channel) => rowOf(channel, known.get(channel) ?? null)),
      );
    return EXIT.ok;
  });
}

async function change(
  environment: Environment,
  channel: Channel,
  flags: ChannelFlags,
  options: Options,
): Promise<ExitCode> {
  return withStore(environment, async (store, config) => {
    const before =
      (await store.channels()).find((known) => known.channel === channel) ??
      defaultChannelConfig(channel, null);
    const after = changedChannel(before, flags);
    if (options.dryRun !== true) await store.saveChannel(after);
    if (options.json === true) printJson(environment, after);
    else printTable(environment, HEAD, [rowOf(channel, after)]);
    const isKnown =
      after.providerKey === null || config.providers.some((one) => one.providerKey === after.providerKey);
    if (!isKnown)
      say(
        environment,
        `the settings here name no provider ${after.providerKey}: where a processor has none either, the channel is held`,
      );
    return EXIT.ok;
  });
}

function withStore(
  environment: Environment,
  use: (store: NotificationStore, config: Config) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = loadConfig(environment);
  const logger = commandLogger(environment, config);
  const store = storeOfConfig(environment, config, logger);
  return unlessInterrupted(
    environment,
    withOpen(store, (opened) => use(opened, config)),
  );
}

const HEAD = [
  'channel',
  'enabled',
  'provider',
  'attempts',
  'backoff',
  'on unknown',
  'hold until',
  'release/s',
];

function rowOf(channel: Channel, config: ChannelConfig | null) {
  if (config === null) return [channel, 'unconfigured', null, null, null, null, null, null];
  const { kind, baseMs, capMs, jitter } = config.backoff;
  return [
    channel,
    config.isEnabled ? 'yes' : 'no',
    config.providerKey,
    config.maxAttempts,
    `${kind} ${formatDuration(baseMs)} to ${formatDuration(capMs)}, jitter ${jitter}`,
    config.onUnknown,
    formatDuration(config.holdUntilMs),
    config.releasePerSecond,
  ];
}

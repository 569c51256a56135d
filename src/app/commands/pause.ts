// `pin pause|resume`: holds all notifications of a channel, a tenant or a template, and lets them go again. Running processors follow within
// seconds; what is paused keeps its attempts, and its webhooks still count.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHANNELS, type Channel } from '../../domain/channel.ts';
import { type Pause, type PauseKey, type PauseScope, pauseKey, pauseScope } from '../../domain/pause.ts';
import { resumeCommand } from '../../ops/standing-words.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { NotificationStore } from '../../state/store.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import { commandLogger, storeOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { actorOf, type OrderFlags, requiredReason } from '../orders/order.ts';
import { printJson, printTable, say } from '../output.ts';
import { usage } from '../report-failure.ts';

interface ScopeFlags {
  readonly channel?: Channel;
  readonly tenant?: string;
  readonly tenantNone?: boolean;
  readonly template?: string;
}

interface Options extends ScopeFlags, OrderFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const MAX_ID_CHARS = 128;

export function addPauseCommands(program: Command, cli: Cli): void {
  const { environment } = cli;
  const pause = scoped(program, 'pause', 'Hold all notifications of a channel, a tenant or a template.')
    .option('--reason <text>', 'why, for everybody who wonders later')
    .option('--actor <name>', 'who asks; the user of the operating system by default')
    .action(cli.action((options: Options) => begin(environment, options)));
  pause
    .command('list')
    .description('Print what is paused, since when, by whom and why.')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: { json?: boolean }) => list(environment, options.json === true)));
  scoped(program, 'resume', 'End a pause; what it held goes on at the pace of its channel.').action(
    cli.action((options: Options) => end(environment, options)),
  );
}

function scoped(program: Command, verb: string, description: string): Command {
  return program
    .command(verb)
    .description(description)
    .addOption(new Option('--channel <name>', 'all of a channel').choices(CHANNELS))
    .option('--tenant <id>', 'all of a tenant', idOf)
    .option('--tenant-none', "the platform's own: those of no tenant")
    .option('--template <key>', 'all that use a template', idOf)
    .option('--dry-run', 'only print what it would be')
    .option('--json', 'as JSON');
}

async function begin(environment: Environment, options: Options): Promise<ExitCode> {
  const key = pauseKey(scopeOf('pause', options));
  const pause = { key, reason: requiredReason(options), by: actorOf(environment, options) };
  return withStore(environment, async (store) => {
    if (options.dryRun !== true) await store.savePause(pause);
    const sinceMs = environment.clock.nowMs();
    const saved = (await store.pauses()).find((one) => one.key === key) ?? { ...pause, sinceMs };
    printPauses(environment, [saved], options.json === true);
    if (options.dryRun !== true)
      say(environment, `running processors follow within seconds; \`${resumeCommand(key)}\` ends it`);
    return EXIT.ok;
  });
}

async function end(environment: Environment, options: Options): Promise<ExitCode> {
  const key = pauseKey(scopeOf('resume', options));
  return withStore(environment, async (store) => {
    const pauses = await store.pauses();
    const pause = pauses.find((one) => one.key === key);
    const isEnded = options.dryRun === true ? pause !== undefined : await store.endPause(key);
    if (!isEnded) {
      say(environment, `${wordsOf(key)} is not paused; \`pin pause list\` shows what is`);
      return EXIT.notFound;
    }
    printPauses(environment, pause === undefined ? [] : [pause], options.json === true);
    const others = pauses.filter((one) => one.key !== key).length;
    const rest = others === 0 ? '' : `; ${others} other pauses stand, and what they hold as well stays held`;
    if (options.dryRun !== true)
      say(environment, `ended: what it held goes on at the pace of its channel${rest}`);
    return EXIT.ok;
  });
}

function list(environment: Environment, asJson: boolean): Promise<ExitCode> {
  return withStore(environment, async (store) => {
    printPauses(environment, await store.pauses(), asJson);
    return EXIT.ok;
  });
}

function withStore(
  environment: Environment,
  use: (store: NotificationStore) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = loadConfig(environment);
  const store = storeOfConfig(environment, config, commandLogger(environment, config));
  return unlessInterrupted(environment, withOpen(store, use));
}

/** @throws Fault USAGE unless exactly one is named */
function scopeOf(verb: string, { channel, tenant, tenantNone, template }: ScopeFlags): PauseScope {
  const scopes: readonly PauseScope[] = [
    ...(channel === undefined ? [] : [{ kind: 'channel', channel } as const]),
    ...(tenant === undefined ? [] : [{ kind: 'tenant', tenantId: tenant } as const]),
    ...(tenantNone === true ? [{ kind: 'tenant', tenantId: null } as const] : []),
    ...(template === undefined ? [] : [{ kind: 'template', templateKey: template } as const]),
  ];
  const [scope] = scopes;
  if (scope !== undefined && scopes.length === 1) return scope;
  const which = '--channel, --tenant, --tenant-none or --template';
  throw usage(
    scopes.length === 0
      ? `say what to ${verb}: one of ${which}; \`pin pause list\` shows what is paused\n`
      : `one thing at a time: ${which}\n`,
  );
}

function wordsOf(key: PauseKey): string {
  const scope = pauseScope(key);
  switch (scope?.kind) {
    case 'channel':
      return `channel ${scope.channel}`;
    case 'tenant':
      return scope.tenantId === null ? 'no tenant (the platform itself)' : `tenant ${scope.tenantId}`;
    case 'template':
      return `template ${scope.templateKey}`;
    case undefined:
      return key;
  }
}

const HEAD = ['paused', 'since', 'by', 'reason'];

function printPauses(environment: Environment, pauses: readonly Pause[], asJson: boolean): void {
  if (asJson) {
    for (const { key, reason, by, sinceMs } of pauses)
      printJson(environment, { key, ...pauseScope(key), since: isoTime(sinceMs), by, reason });
    return;
  }
  printTable(
    environment,
    HEAD,
    pauses.map(({ key, sinceMs, by, reason }) => [wordsOf(key), isoTime(sinceMs), by, reason]),
  );
}

function idOf(text: string): string {
  if (text === '' || text.length > MAX_ID_CHARS || /[\p{Cc}\p{Cs}]/u.test(text))
    throw new InvalidArgumentError(`It must have 1 to ${MAX_ID_CHARS} characters.`);
  return text;
}

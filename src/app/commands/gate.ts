// `pin gate list|open|close`: what operators and the running processors say of each provider's gate. A closed gate lets nobody call: what
// waits uses no attempt.
import { type Command, InvalidArgumentError } from 'commander';
import { isClosedAt, type OperatorGate } from '../../domain/operator-gate.ts';
import { isoTime } from '../../runtime/clock.ts';
import { formatDuration, parseDuration } from '../../runtime/duration.ts';
import type { NotificationStore, SeenGate } from '../../state/store.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import type { Config } from '../config/config.ts';
import { commandLogger, storeOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { actorOf, type OrderFlags, requiredReason } from '../orders/order.ts';
import { printJson, printTable, say } from '../output.ts';

interface Options extends OrderFlags {
  readonly for?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const MAX_CLOSED_MS = 30 * 86_400_000;

export function addGateCommand(program: Command, cli: Cli): void {
  const { environment } = cli;
  const gate = program.command('gate').description('Who may call which provider.');
  gate
    .command('list')
    .description('Print what operators said of each gate, and how the running processors see it.')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => list(environment, options)));
  turning(gate, 'close', 'Let nobody call the provider; what waits uses no attempt.')
    .option(
      '--for <duration>',
      'open by itself after it, such as 10m; else until `pin gate open`',
      durationOf,
    )
    .action(
      cli.action((provider: string, options: Options) => turn(environment, provider, 'closed', options)),
    );
  turning(
    gate,
    'open',
    'Let everybody call again, slowly at first, whatever closed the gate in a running processor.',
  ).action(cli.action((provider: string, options: Options) => turn(environment, provider, 'open', options)));
}

function turning(parent: Command, verb: string, description: string): Command {
  return parent
    .command(verb)
    .description(description)
    .argument('<provider>', 'as in PIN_PROVIDER_<NAME>_…, such as sms-main', nameOf)
    .option('--reason <text>', 'why, for everybody who wonders later')
    .option('--actor <name>', 'who asks; the user of the operating system by default')
    .option('--dry-run', 'only print what is said of it now')
    .option('--json', 'as JSON');
}

async function turn(
  environment: Environment,
  providerKey: string,
  state: OperatorGate['state'],
  options: Options,
): Promise<ExitCode> {
  const { for: forMs = null, dryRun } = options;
  const said = {
    providerKey,
    state,
    forMs,
    reason: requiredReason(options),
    by: actorOf(environment, options),
  };
  return withStore(environment, async (store, config) => {
    if (dryRun !== true) await store.saveGate(said);
    await printGates(environment, store, [providerKey], options.json === true);
    if (!config.providers.some((one) => one.providerKey === providerKey))
      say(
        environment,
        `the settings here name no provider ${providerKey}: only a processor that has it follows`,
      );
    if (dryRun !== true)
      say(environment, `running processors follow within seconds${endOf(providerKey, state, forMs)}`);
    return EXIT.ok;
  });
}

function endOf(providerKey: string, state: OperatorGate['state'], forMs: number | null): string {
  if (state === 'open') return '';
  return forMs === null
    ? `; it stays closed until \`pin gate open ${providerKey}\``
    : `; it opens by itself after ${formatDuration(forMs)}`;
}

function list(environment: Environment, options: Options): Promise<ExitCode> {
  return withStore(environment, async (store, config) => {
    const configured = config.providers.map(({ providerKey }) => providerKey);
    await printGates(environment, store, configured, options.json === true, true);
    return EXIT.ok;
  });
}

/** Of `providers`; with `andOthers` also of those that only operators or other processes know. */
async function printGates(
  environment: Environment,
  store: NotificationStore,
  providers: readonly string[],
  asJson: boolean,
  andOthers = false,
): Promise<void> {
  const [{ nowMs }, gates, seen] = await Promise.all([store.load([]), store.gates(), store.seenGates()]);
  const others = andOthers ? [...gates, ...seen].map(({ providerKey }) => providerKey) : [];
  const named = [...new Set([...providers, ...others])].sort();
  const views = named.map((providerKey) => ({
    providerKey,
    gate: gates.find((one) => one.providerKey === providerKey) ?? null,
    processes: seen.filter((one) => one.providerKey === providerKey),
  }));
  if (asJson) for (const view of views) printJson(environment, jsonOf(view, nowMs));
  else
    printTable(
      environment,
      HEAD,
      views.map((view) => rowOf(view, nowMs)),
    );
}

interface GateLine {
  readonly providerKey: string;
  readonly gate: OperatorGate | null;
  readonly processes: readonly SeenGate[];
}

const HEAD = ['provider', 'operator', 'by', 'reason', 'processes'];

function rowOf({ providerKey, gate, processes }: GateLine, nowMs: number) {
  return [
    providerKey,
    gate === null ? null : saidWords(gate, nowMs),
    gate?.by ?? null,
    gate?.reason ?? null,
    processes.length === 0 ? null : processes.map(seenWords).join(', '),
  ];
}

function saidWords(gate: OperatorGate, nowMs: number): string {
  if (gate.state === 'open') return `opened ${isoTime(gate.changedAtMs)}`;
  if (!isClosedAt(gate, nowMs)) return `closing ended ${isoTime(gate.untilMs ?? nowMs)}`;
  return gate.untilMs === null
    ? `closed since ${isoTime(gate.changedAtMs)}`
    : `closed until ${isoTime(gate.untilMs)}`;
}

function seenWords({ processId, state, untilMs, why }: SeenGate): string {
  const until = untilMs === null ? '' : ` until ${isoTime(untilMs)}`;
  return `${processId}: ${state}${why === null || why === 'operator' ? '' : ` (${why})`}${until}`;
}

function jsonOf({ providerKey, gate, processes }: GateLine, nowMs: number) {
  return {
    provider: providerKey,
    operator:
      gate === null
        ? null
        : {
            state: isClosedAt(gate, nowMs) ? 'closed' : 'open',
            until: gate.untilMs === null ? null : isoTime(gate.untilMs),
            by: gate.by,
            reason: gate.reason,
            at: isoTime(gate.changedAtMs),
          },
    processes: processes.map(({ processId, state, why, untilMs, seenAtMs }) => ({
      process: processId,
      state,
      why,
      until: untilMs === null ? null : isoTime(untilMs),
      seenAt: isoTime(seenAtMs),
    })),
  };
}

function withStore(
  environment: Environment,
  use: (store: NotificationStore, config: Config) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = loadConfig(environment);
  const store = storeOfConfig(environment, config, commandLogger(environment, config));
  return unlessInterrupted(
    environment,
    withOpen(store, (opened) => use(opened, config)),
  );
}

function nameOf(text: string): string {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) || text.length > 64)
    throw new InvalidArgumentError('It is not the name of a provider, such as sms-main.');
  return text;
}

function durationOf(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === null || durationMs < 1_000 || durationMs > MAX_CLOSED_MS)
    throw new InvalidArgumentError('It is not a duration from 1s to 30d, such as 10m.');
  return durationMs;
}

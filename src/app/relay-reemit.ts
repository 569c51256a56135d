// `pin relay reemit`: plans, shows, asks, does. What is printed is what was decided for each row; a redrive's answer is in `pin show`.
import type { NotificationCommand } from '../domain/notification-command.ts';
import type { FailedFilter, Outbox } from '../relay/outbox.ts';
import { applyReemits, planReemits, type ReemitDeps } from '../relay/reemit.ts';
import type { ReemitStep } from '../relay/reemit-plan.ts';
import { openCodec } from '../streams/codec.ts';
import { notificationCommandRecord } from '../streams/notification-command.ts';
import { withOpen } from './cli.ts';
import type { Config } from './config/config.ts';
import { variable } from './config/setting-source.ts';
import { confirmed } from './confirm.ts';
import {
  commandLogger,
  logOfConfig,
  readerOfConfig,
  registryOfConfig,
  topicsOfConfig,
} from './connections.ts';
import type { Environment } from './environment.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { loadConfig } from './load-config.ts';
import { type OpenedRelay, withRelay } from './opened-relay.ts';
import { printJson, printTable, say } from './output.ts';
import { usage } from './report-failure.ts';

export interface ReemitOptions {
  readonly source?: string;
  readonly reason?: string;
  readonly since?: number;
  readonly all?: boolean;
  readonly limit: number;
  readonly force?: boolean;
  readonly actor?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Planned {
  readonly outbox: Outbox;
  readonly steps: readonly ReemitStep[];
}

/** @throws Fault USAGE, STATE_UNAVAILABLE, LOG_UNAVAILABLE */
export async function reemitRows(
  environment: Environment,
  ids: readonly string[],
  options: ReemitOptions,
): Promise<ExitCode> {
  const isNarrowed = ids.length > 0 || options.reason !== undefined || options.since !== undefined;
  if (!isNarrowed && options.all !== true) throw usage('name ids, --reason, --since, or --all');
  const config = loadConfig(environment);
  return withRelay(environment, config, async (relay) => {
    const plans = await planned(environment, config, relay, ids, options);
    show(environment, plans, options.json === true);
    const steps = plans.flatMap((plan) => plan.steps);
    const missing = ids.filter((id) => steps.every(({ row }) => row.id !== id));
    for (const id of missing) say(environment, `${id}: no failed row has this id`);
    const wanted = steps.filter(({ kind }) => kind !== 'leave').length;
    const isDone = wanted > 0 && (await mayGoOn(environment, wanted, options));
    if (isDone) await apply(environment, config, relay, plans, options);
    return exitOf(wanted, missing.length, isDone || options.dryRun === true);
  });
}

/** `isAsWanted`: done, or nothing was to be done. */
function exitOf(wanted: number, missing: number, isAsWanted: boolean): ExitCode {
  if (wanted > 0 && !isAsWanted) return EXIT.refused;
  if (missing === 0) return EXIT.ok;
  return wanted === 0 ? EXIT.notFound : EXIT.partlyDone;
}

function mayGoOn(environment: Environment, wanted: number, options: ReemitOptions): Promise<boolean> {
  if (options.dryRun !== true) return confirmed(environment, `Try ${wanted} again?`, options.yes === true);
  say(environment, `nothing was done; it would be ${wanted}`);
  return Promise.resolve(false);
}

async function planned(
  environment: Environment,
  config: Config,
  { outboxes }: OpenedRelay,
  ids: readonly string[],
  { source, reason, since, limit }: ReemitOptions,
): Promise<readonly Planned[]> {
  const chosen = outboxes.filter((outbox) => source === undefined || outbox.source.key === source);
  if (chosen.length === 0) throw usage(`no table is called ${source ?? ''}: see \`pin relay status\``);
  const sinceMs = since === undefined ? null : environment.clock.nowMs() - since;
  const filter: FailedFilter = { ids, reason: reason ?? null, sinceMs, limit };
  return withOpen(readerOfConfig(config, commandLogger(environment, config)), async (reader) => {
    const states: ReemitDeps['states'] = async (of) => (await reader.rowsOf(of)).map(({ row }) => row);
    return Promise.all(
      chosen.map(async (outbox) => ({ outbox, steps: await planReemits({ states }, outbox, filter) })),
    );
  });
}

async function apply(
  environment: Environment,
  config: Config,
  { progress }: OpenedRelay,
  plans: readonly Planned[],
  { force, actor, reason }: ReemitOptions,
): Promise<void> {
  const { clock, ids } = environment;
  const topics = topicsOfConfig(config);
  const codec = await openCodec({ registry: registryOfConfig(environment, config), clock }, topics);
  const log = logOfConfig(environment, config, commandLogger(environment, config));
  await withOpen(log.producer(), async (producer) => {
    const deps = {
      progress,
      commandId: () => ids.uuid(),
      nowMs: () => clock.nowMs(),
      async send(command: NotificationCommand) {
        await producer.send(notificationCommandRecord(topics, codec, command, null));
      },
    };
    const order = {
      actor: actor ?? variable(environment.variables, 'USER') ?? 'operator',
      reason: reason === undefined ? 'relay reemit' : `relay reemit: ${reason}`,
      isForced: force === true,
    };
    for (const { outbox, steps } of plans) await applyReemits(deps, outbox, steps, order);
  });
}

const WORDS = { redrive: 'redrive', reopen: 'read anew', leave: 'left' } as const;

function show(environment: Environment, plans: readonly Planned[], asJson: boolean): void {
  const lines = plans.flatMap(({ outbox, steps }) =>
    steps.map((step) => ({
      source: outbox.source.key,
      id: step.row.id,
      failure: step.row.reason,
      failedAt: step.row.failedAt,
      step: WORDS[step.kind],
      why: step.kind === 'leave' ? step.why : null,
    })),
  );
  if (asJson) for (const line of lines) printJson(environment, line);
  else {
    const head = ['table', 'id', 'failed because', 'failed at', 'what', 'why'];
    printTable(
      environment,
      head,
      lines.map((line) => Object.values(line)),
    );
  }
}

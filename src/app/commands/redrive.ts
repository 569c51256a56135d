// `pin redrive plan|apply`: terminal failures get a fresh budget, many at a time. The plan is a file that people read before it is applied.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHANNELS, type Channel } from '../../domain/channel.ts';
import { ERROR_CODES, type ErrorCode } from '../../domain/codes.ts';
import { MAX_PLANNED, makePlan, type RedrivePlan, readPlan } from '../../ops/redrive-plan.ts';
import { isoTime } from '../../runtime/clock.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { messageOf } from '../../runtime/fault.ts';
import type { FailureFilter } from '../../state/failed-rows.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import { confirmed } from '../confirm.ts';
import { commandLogger, operatorLogger, readerOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { type Applied, applyRedrive, type Progress } from '../orders/apply-redrive.ts';
import { actorOf, type OrderFlags, reasonOf } from '../orders/order.ts';
import { atOrderDesk } from '../orders/order-desk.ts';
import { print, printJson, say } from '../output.ts';
import { usage } from '../report-failure.ts';

interface PlanOptions extends OrderFlags {
  readonly channel?: Channel;
  readonly code?: ErrorCode;
  readonly tenant?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly cap: number;
  readonly rate: number;
  readonly stopAt: number;
  readonly force?: boolean;
}

interface ApplyOptions extends Pick<OrderFlags, 'actor'> {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const DEFAULT_CAP = 1_000;
const DEFAULT_RATE = 10;
const MAX_RATE = 1_000;
const DEFAULT_STOP_AT = 0.5;
const ANSWER_WAIT_MS = 30_000;
/** The tenant of the platform's own notifications, as a flag. */
const NO_TENANT = '-';

export function addRedriveCommand(program: Command, cli: Cli): void {
  const redrive = program.command('redrive').description('Give terminal failures a fresh budget, by a plan.');
  redrive
    .command('plan')
    .description('Print a plan: exactly which notifications, how fast and why. Nothing is changed.')
    .addOption(new Option('--channel <name>').choices(CHANNELS))
    .addOption(new Option('--code <code>', 'the error that they ended with').choices(ERROR_CODES))
    .option('--tenant <id>', `only of this tenant; ${NO_TENANT} for the platform’s own`)
    .option('--since <when>', 'ended at or after: a time (ISO 8601), or how long ago, such as 2h')
    .option('--until <when>', 'ended before')
    .option('--limit <number>', 'the first so many, oldest end first', countOf)
    .option('--cap <number>', `refuse to plan more than so many, up to ${MAX_PLANNED}`, countOf, DEFAULT_CAP)
    .option('--rate <number>', `so many a second, up to ${MAX_RATE}`, rateOf, DEFAULT_RATE)
    .option('--stop-at <share>', 'stop when so much of the newest fails again', shareOf, DEFAULT_STOP_AT)
    .option('--force', 'also what may have arrived: a possible second message')
    .option('--actor <name>', 'who asks; the user of the operating system by default')
    .requiredOption('--reason <text>', 'why, in a few words; it is shown in the timelines')
    .action(cli.action((options: PlanOptions) => plan(cli.environment, options)));
  redrive
    .command('apply')
    .description('Do what a plan says. A run that was stopped or killed goes on when it is run again.')
    .argument('<file>', 'the plan')
    .option('--actor <name>', 'who applies it; the user of the operating system by default')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only say how far it is')
    .option('--json', 'the result as JSON')
    .action(cli.action((file: string, options: ApplyOptions) => apply(cli.environment, file, options)));
}

async function plan(environment: Environment, options: PlanOptions): Promise<ExitCode> {
  const nowMs = environment.clock.nowMs();
  const filter = filterOf(options, nowMs);
  const [actor, reason] = [actorOf(environment, options), reasonOf(options) ?? ''];
  const { cap, limit = MAX_PLANNED, rate } = options;
  if (cap > MAX_PLANNED) throw usage(`--cap: at most ${MAX_PLANNED}`);
  const config = loadConfig(environment);
  const reader = readerOfConfig(config, commandLogger(environment, config));
  const found = await unlessInterrupted(
    environment,
    withOpen(reader, () => reader.failed(filter, MAX_PLANNED)),
  );
  const made = makePlan(
    {
      ...{ madeAt: isoTime(nowMs), actor, reason, filter: wordsOf(options, filter) },
      ...{ ratePerSecond: rate, cap, stopAtFailureShare: options.stopAt, isForced: options.force === true },
    },
    found,
    Math.min(limit, MAX_PLANNED),
    { nowMs, isoTime },
  );
  if (made.count > cap) {
    say(
      environment,
      `${made.count} could be redriven and the cap is ${cap}: narrow the plan, set --limit, or raise --cap`,
    );
    return EXIT.refused;
  }
  print(environment, JSON.stringify(made, null, 2));
  sayPlan(environment, made);
  operatorLogger(environment, config).info('redrive.planned', factsOf(made));
  return EXIT.ok;
}

function sayPlan(environment: Environment, made: RedrivePlan): void {
  say(environment, `${made.matched} match, ${made.count} are planned at ${made.ratePerSecond} a second`);
  for (const [why, count] of Object.entries(made.leftOut))
    say(environment, `left out: ${count}, because ${why}`);
  for (const { id, channel, endedAt } of made.sample)
    say(environment, `  ${id}  ${channel}  ended ${endedAt ?? '?'}`);
  if (made.count > made.sample.length) say(environment, `  and ${made.count - made.sample.length} more`);
}

async function apply(environment: Environment, file: string, options: ApplyOptions): Promise<ExitCode> {
  const answer = readPlan(textOf(environment, file));
  if (answer.kind === 'refused') {
    say(environment, `the plan is refused: ${answer.why}`);
    return EXIT.refused;
  }
  const { plan: made } = answer;
  const actor = actorOf(environment, options);
  const config = loadConfig(environment);
  return atOrderDesk(environment, config, async (desk) => {
    const isDry = options.dryRun === true;
    const question = `redrive ${made.count} notifications at ${made.ratePerSecond} a second?`;
    if (!isDry && !(await confirmed(environment, question, options.yes === true))) return EXIT.failure;
    const tell = (progress: Progress) => say(environment, progressWords(progress));
    const applied = await applyRedrive(environment, desk, made, {
      ...{ actor, waitMs: ANSWER_WAIT_MS, isDry, tell },
    });
    if (options.json === true) printJson(environment, { plan: made.hash, ...applied });
    else print(environment, progressWords(applied));
    if (isDry) return EXIT.ok;
    operatorLogger(environment, config).info('redrive.applied', {
      ...factsOf(made),
      ...{ actor, sent: applied.sent, unanswered: applied.unanswered, stopped: applied.stopped ?? undefined },
    });
    return exitOf(environment, applied, made);
  });
}

function progressWords({ planned, sent, counts }: Progress): string {
  const skipped = counts['moved-on'] + counts.gone;
  return (
    `${planned} planned: ${counts.sent} Sent, ${counts.failed} failing again, ${counts.running} under way, ` +
    `${counts.open} to do, ${skipped} skipped (they moved on), ${counts.refused} refused; ${sent} sent by this run`
  );
}

const STOPPED: Readonly<Record<NonNullable<Applied['stopped']>, string>> = {
  failures: 'stopped: too many of the newest fail again',
  interrupted: 'interrupted',
  'nothing-ends': 'stopped: nothing of what was redriven comes to an end',
};

function exitOf(environment: Environment, applied: Applied, made: RedrivePlan): ExitCode {
  const { stopped, unanswered, counts } = applied;
  if (stopped !== null) say(environment, `${STOPPED[stopped]}; run it again to go on`);
  if (unanswered > 0) say(environment, `${unanswered} commands are in the log and have no answer yet`);
  if (stopped === 'interrupted') return EXIT.interrupted;
  return counts.sent + counts.failed + counts.running === made.count ? EXIT.ok : EXIT.partlyDone;
}

function factsOf(made: RedrivePlan) {
  const { hash, actor, reason, count, ratePerSecond, isForced } = made;
  return { plan: hash, actor, reason, count, rate: ratePerSecond, force: isForced };
}

function filterOf({ channel, code, tenant, since, until }: PlanOptions, nowMs: number): FailureFilter {
  return {
    ...(channel === undefined ? {} : { channel }),
    ...(code === undefined ? {} : { code }),
    ...(tenant === undefined ? {} : { tenantId: tenant === NO_TENANT ? null : tenant }),
    ...(since === undefined ? {} : { sinceMs: timeOf('--since', since, nowMs) }),
    ...(until === undefined ? {} : { untilMs: timeOf('--until', until, nowMs) }),
  };
}

/** As the plan keeps it: times, not waits. */
function wordsOf({ channel, code, tenant }: PlanOptions, { sinceMs, untilMs }: FailureFilter) {
  const time = (epochMs: number | undefined) => (epochMs === undefined ? null : isoTime(epochMs));
  return {
    ...{ channel: channel ?? null, code: code ?? null, tenant: tenant ?? null },
    ...{ since: time(sinceMs), until: time(untilMs) },
  };
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/** @throws Fault USAGE */
function timeOf(flag: string, text: string, nowMs: number): number {
  const agoMs = parseDuration(text);
  if (agoMs !== null) return nowMs - agoMs;
  const atMs = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs))
    throw usage(`${flag}: ${JSON.stringify(text)} is no time (ISO 8601) and no duration such as 2h`);
  return atMs;
}

function textOf({ readFile }: Environment, file: string): string {
  try {
    return readFile(file);
  } catch (error) {
    throw usage(messageOf(error));
  }
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It is not a number from 1.');
  return Number(text);
}

function rateOf(text: string): number {
  const rate = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (rate <= 0 || rate > MAX_RATE)
    throw new InvalidArgumentError(`It is not a number above 0 and up to ${MAX_RATE}.`);
  return rate;
}

function shareOf(text: string): number {
  if (!/^(0(\.\d{1,3})?|1(\.0{1,3})?)$/.test(text))
    throw new InvalidArgumentError('It is not a number from 0 to 1.');
  return Number(text);
}

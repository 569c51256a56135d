// `pin cancel|release|close ID…`: a person's wish as a command on its topic. What cannot come true is refused here with a sentence; all
// else is answered by the row, and the answer is waited for.
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandResult } from '../../domain/command.ts';
import type { Notification } from '../../domain/notification.ts';
import type { NotificationCommand } from '../../domain/notification-command.ts';
import { type NotificationId, parseNotificationId } from '../../domain/notification-id.ts';
import { answerIn, refusalAhead } from '../../ops/command-answer.ts';
import { entryWords, resultWords } from '../../ops/timeline-words.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { type Cli, unlessInterrupted } from '../cli.ts';
import { confirmed } from '../confirm.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { awaitAnswers } from '../orders/await-answer.ts';
import { actorOf, type OrderFlags, orderFor, reasonOf } from '../orders/order.ts';
import { atOrderDesk, type OrderDesk } from '../orders/order-desk.ts';
import { print, printJson, say } from '../output.ts';
import { usage } from '../report-failure.ts';

type Kind = 'cancel' | 'release' | 'close';

interface Options extends OrderFlags {
  readonly tenant?: string;
  readonly ahead?: boolean;
  /** Commander's way to say `--no-wait`. */
  readonly wait: boolean;
  readonly waitFor: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** What became of one id, so far. */
interface Told {
  readonly id: NotificationId;
  readonly exitCode: ExitCode;
  readonly result: CommandResult | 'unknown-id' | 'in-the-log' | 'unanswered' | 'would-ask';
  readonly words: string;
}

const MAX_IDS = 1_000;
const DEFAULT_WAIT_MS = 15_000;
const MAX_WAIT_MS = 3_600_000;

export function addOrderCommands(program: Command, cli: Cli): void {
  ordering(program, cli, 'cancel', 'End notifications that have not ended: nothing more is sent.')
    .option('--yes', 'do not ask')
    .option('--ahead', 'also where the request has not come yet: it is not sent when it comes')
    .option('--tenant <id>', 'only of this tenant; with --ahead, whose request it will be');
  ordering(program, cli, 'release', 'Take notifications off hold now, if the cause of the hold has ended.');
  ordering(program, cli, 'close', 'Acknowledge terminal failures: they no longer count for the alert.', true);
}

function ordering(program: Command, cli: Cli, kind: Kind, words: string, needsReason = false): Command {
  const command = program
    .command(kind)
    .description(words)
    .argument('<id...>', 'NotificationIds', idsOf)
    .option('--actor <name>', 'who asks; the user of the operating system by default')
    .option('--wait-for <duration>', 'how long to wait for the answers', waitOf, DEFAULT_WAIT_MS)
    .option('--no-wait', 'end as soon as the log has the commands')
    .option('--dry-run', 'only say what would be asked')
    .option('--json', 'as JSON lines');
  const why = 'why, in a few words; it is shown in the timeline';
  if (needsReason) command.requiredOption('--reason <text>', why);
  else command.option('--reason <text>', why);
  return command.action(
    cli.action((ids: readonly NotificationId[], options: Options) =>
      unlessInterrupted(cli.environment, ordered(cli.environment, kind, ids, options)),
    ),
  );
}

async function ordered(
  environment: Environment,
  kind: Kind,
  ids: readonly NotificationId[],
  options: Options,
): Promise<ExitCode> {
  const order = { kind, actor: actorOf(environment, options), reason: reasonOf(options) };
  const config = loadConfig(environment);
  return atOrderDesk(environment, config, async (desk) => {
    const rows = new Map((await desk.reader.rowsOf(ids)).map(({ row }) => [row.id, row]));
    const seen = ids.map((id) => seenAs(id, rows.get(id) ?? null, kind, options));
    const commands = seen.flatMap((one) =>
      one.kind === 'askable' ? [orderFor(environment, one.place, order)] : [],
    );
    if (!(await isWanted(environment, commands, options))) return EXIT.failure;
    const told = [
      ...seen.flatMap((one) => (one.kind === 'hopeless' ? [one.told] : [])),
      ...(await brought(environment, desk, commands, options)),
    ];
    for (const one of told) tell(environment, one, options);
    return exitOf(told);
  });
}

type Seen =
  | { readonly kind: 'askable'; readonly place: Pick<Notification, 'id' | 'tenantId' | 'cycle'> }
  | { readonly kind: 'hopeless'; readonly told: Told };

/** What is plain from the row as it is. A cancel may come before its request. */
function seenAs(id: NotificationId, row: Notification | null, kind: Kind, options: Options): Seen {
  const { tenant, ahead } = options;
  if (row === null && ahead === true)
    return { kind: 'askable', place: { id, tenantId: tenant ?? null, cycle: 0 } };
  if (row === null || (tenant !== undefined && row.tenantId !== tenant))
    return { kind: 'hopeless', told: unknownId(id) };
  const result = refusalAhead(row, kind);
  if (result === null) return { kind: 'askable', place: row };
  const words = `${id}: ${resultWords(result)}; nothing was asked`;
  return { kind: 'hopeless', told: { id, exitCode: EXIT.refused, result, words } };
}

/** Only what cannot be taken back is asked about. */
async function isWanted(
  environment: Environment,
  commands: readonly NotificationCommand[],
  { yes, dryRun }: Options,
): Promise<boolean> {
  const [first] = commands;
  if (first?.kind !== 'cancel' || dryRun === true) return true;
  const what = commands.length === 1 ? first.notificationId : `${commands.length} notifications`;
  return confirmed(environment, `cancel ${what}?`, yes === true);
}

function unknownId(id: NotificationId): Told {
  const words = `no notification ${id} is known here: nothing was asked`;
  return { id, exitCode: EXIT.notFound, result: 'unknown-id', words };
}

async function brought(
  environment: Environment,
  desk: OrderDesk,
  commands: readonly NotificationCommand[],
  options: Options,
): Promise<readonly Told[]> {
  const said = (result: Told['result'], exitCode: ExitCode, words: string) => (id: NotificationId) => ({
    ...{ id, exitCode, result },
    words: `${id}: ${words}`,
  });
  const ids = commands.map(({ notificationId }) => notificationId);
  if (options.dryRun === true) return ids.map(said('would-ask', EXIT.ok, 'would be asked'));
  await Promise.all(commands.map(desk.send));
  if (!options.wait) return ids.map(said('in-the-log', EXIT.ok, 'the command is in the log'));
  const told: Told[] = [];
  const commandOf = new Map(commands.map((command) => [command.notificationId, command.commandId]));
  const unanswered = await awaitAnswers(environment, desk.reader, ids, {
    limitMs: options.waitFor,
    isAnswered: (row) => row.commandIds.includes(commandOf.get(row.id) ?? ''),
    onAnswer: (row) => told.push(toldBy(row, commandOf.get(row.id) ?? '')),
  });
  const silence = 'the command is in the log and no answer came yet: see `pin show`';
  return [...told, ...unanswered.map(said('unanswered', EXIT.tryAgain, silence))];
}

function toldBy(row: Notification, commandId: string): Told {
  const answer = answerIn(row, commandId);
  const isRefused = answer?.result.startsWith('refused-') ?? false;
  return {
    id: row.id,
    exitCode: isRefused ? EXIT.refused : EXIT.ok,
    result: answer?.result ?? 'done',
    words: `${row.id}: ${answer === null ? 'answered' : entryWords(answer.entry)}`,
  };
}

function tell(environment: Environment, { id, result, words, exitCode }: Told, options: Options): void {
  if (options.json === true) printJson(environment, { id, result, words });
  else if (exitCode === EXIT.ok) print(environment, words);
  else say(environment, words);
}

/** One code when all agree; else some were done and some were not. */
function exitOf(told: readonly Told[]): ExitCode {
  const [first, ...others] = new Set(told.map(({ exitCode }) => exitCode));
  if (first === undefined) return EXIT.ok;
  return others.length === 0 ? first : EXIT.partlyDone;
}

function idsOf(text: string, before: readonly NotificationId[] = []): readonly NotificationId[] {
  const id = parseNotificationId(text);
  if (id === null) throw new InvalidArgumentError('It is not a uuid.');
  if (before.includes(id)) return before;
  if (before.length >= MAX_IDS) throw usage(`more than ${MAX_IDS} ids at once`);
  return [...before, id];
}

function waitOf(text: string): number {
  const waitMs = parseDuration(text);
  if (waitMs === null || waitMs > MAX_WAIT_MS)
    throw new InvalidArgumentError('It is not a duration such as 15s or 2m, up to 1h.');
  return waitMs;
}

// `pin send`: asks for notifications, as any upstream service would. Everything is checked before anything is sent, and an id is printed
// only when the log has the request.
import { type Command, InvalidArgumentError } from 'commander';
import type { NotificationRequest } from '../../domain/request.ts';
import { messageOf } from '../../runtime/fault.ts';
import { openCodec } from '../../streams/codec.ts';
import { requestsOfInput } from '../../streams/request-input.ts';
import { type Cli, unlessInterrupted } from '../cli.ts';
import { commandLogger, logOfConfig, registryOfConfig, topicsOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { print, printJson, say } from '../output.ts';
import { usage } from '../report-failure.ts';
import { type JsonValue, jsonValues } from '../requests/json-values.ts';
import { inputOfFlags, isAnyFlagSet, type SendFlags } from '../requests/send-flags.ts';
import { sendRequests } from '../requests/send-requests.ts';

interface Options extends SendFlags {
  readonly file?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const MAX_INPUT_BYTES = 64 * 1_048_576;
const MAX_REQUESTS = 10_000;

export function addSendCommand(program: Command, cli: Cli): void {
  program
    .command('send')
    .description('Ask for notifications, by flags, or from a file or stdin as JSON, an array or JSON lines.')
    .option('--file <path>', 'read requests from this file; - is stdin')
    .option('--id <uuid>', 'the NotificationId; a fresh one when it is not given')
    .option('--channel <name>', 'email, sms, push, telegram, max, whatsapp, viber or in-app')
    .option('--to <recipient>', 'the address, number, token or user')
    .option('--subject <text>')
    .option('--text <text>')
    .option('--html <text>')
    .option('--template <key>', 'instead of subject, text and html')
    .option('--locale <name>', 'of the template')
    .option('--data <name=value...>', 'values for the template', pairs)
    .option('--not-before <when>', 'a time (ISO 8601) or a wait such as 15m')
    .option('--not-after <when>', 'no attempt starts later')
    .option('--tenant <id>')
    .option('--correlation <id>')
    .option('--dry-run', 'only check')
    .option('--json', 'print a JSON line for each instead of its id')
    .action(cli.action((options: Options) => send(cli.environment, options)));
}

async function send(environment: Environment, options: Options): Promise<ExitCode> {
  const requests = checkedRequests(environment, await inputValues(environment, options));
  if (options.dryRun === true) {
    say(environment, `fine: ${requests.length}; nothing was sent`);
    return EXIT.ok;
  }
  const config = loadConfig(environment);
  const topics = topicsOfConfig(config);
  const registry = registryOfConfig(environment, config);
  const codec = await unlessInterrupted(
    environment,
    openCodec({ registry, clock: environment.clock }, topics),
  );
  const log = logOfConfig(environment, config, commandLogger(environment, config));
  let acknowledged = 0;
  const sending = sendRequests({ log, codec, topics }, requests, ({ notificationId }, partition) => {
    acknowledged += 1;
    if (options.json === true) printJson(environment, { notificationId, topic: topics.requested, partition });
    else print(environment, notificationId);
  });
  try {
    await unlessInterrupted(environment, sending);
    return EXIT.ok;
  } catch (error) {
    say(environment, `${acknowledged} of ${requests.length} requests are known to be in the log`);
    throw error;
  }
}

/** @throws Fault USAGE */
async function inputValues(environment: Environment, options: Options): Promise<readonly JsonValue[]> {
  const fromFile = options.file ?? (environment.stdin.isTerminal || isAnyFlagSet(options) ? null : '-');
  if (fromFile === null) return [{ where: 'the flags', value: inputOfFlags(options) }];
  if (isAnyFlagSet(options)) throw usage('give either flags or a file, not both');
  const answer = jsonValues(await inputText(environment, fromFile));
  if (answer.kind === 'invalid') throw refused(answer.problems);
  if (answer.values.length > MAX_REQUESTS)
    throw usage(`more than ${MAX_REQUESTS} requests at once: split the input`);
  return answer.values;
}

async function inputText(environment: Environment, path: string): Promise<string> {
  if (path !== '-') return fileText(environment, path);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of environment.stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES) throw usage(`more than ${MAX_INPUT_BYTES} bytes at once: split the input`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function fileText({ readFile }: Environment, path: string): string {
  try {
    return readFile(path);
  } catch (error) {
    throw usage(messageOf(error));
  }
}

/** All or none: half a file sent would be sent twice when it is sent again. */
function checkedRequests(
  environment: Environment,
  values: readonly JsonValue[],
): readonly NotificationRequest[] {
  const answers = values.map(({ where, value }) => ({ where, answer: requestsOfInput(environment, value) }));
  const problems = answers.flatMap(({ where, answer }) =>
    answer.kind === 'invalid' ? answer.problems.map(({ words }) => `${where}: ${words}`) : [],
  );
  if (problems.length > 0) throw refused(problems);
  return answers.flatMap(({ answer }) => (answer.kind === 'requests' ? answer.requests : []));
}

const MAX_PROBLEMS_SHOWN = 20;

function refused(problems: readonly string[]) {
  const shown = problems.slice(0, MAX_PROBLEMS_SHOWN).map((problem) => `\n  ${problem}`);
  const more =
    problems.length > MAX_PROBLEMS_SHOWN ? `\n  and ${problems.length - MAX_PROBLEMS_SHOWN} more` : '';
  return usage(`nothing was sent:${shown.join('')}${more}\n`);
}

function pairs(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is not name=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

// `pin show ID`: the story of one notification: every decision, the rule that fired, what comes next and when.
import { type Command, InvalidArgumentError } from 'commander';
import { type NotificationId, parseNotificationId } from '../../domain/notification-id.ts';
import { explainTimeline, type Timeline } from '../../ops/explain-timeline.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Stored } from '../../state/store.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import { commandLogger, storeOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { notificationFacts } from '../notification-facts.ts';
import { colorsFor, print, printJson, say } from '../output.ts';

export function addShowCommand(program: Command, cli: Cli): void {
  program
    .command('show')
    .description(
      'Tell the story of one notification: every decision, the rule that fired, and what comes next.',
    )
    .argument('<id>', 'its NotificationId', idOf)
    .option('--json', 'as one JSON value')
    .action(
      cli.action((id: NotificationId, options: { json?: boolean }) =>
        show(cli.environment, id, options.json === true),
      ),
    );
}

async function show(environment: Environment, id: NotificationId, asJson: boolean): Promise<ExitCode> {
  const config = loadConfig(environment);
  const logger = commandLogger(environment, config);
  const store = storeOfConfig(environment, config, logger);
  const [{ found, nowMs }, standing] = await unlessInterrupted(
    environment,
    withOpen(store, () => Promise.all([store.load([id]), store.controls()])),
  );
  const stored = found.get(id);
  if (stored === undefined) {
    say(environment, `no notification ${id} is known here: it was never read from the request topic`);
    return EXIT.notFound;
  }
  const timeline = explainTimeline(stored.row, nowMs, standing);
  if (asJson) printJson(environment, { ...notificationFacts(stored), timeline });
  else printStory(environment, stored, timeline);
  return EXIT.ok;
}

function printStory(environment: Environment, stored: Stored, { lines, isCut, next }: Timeline): void {
  const colors = colorsFor(environment, environment.stdout);
  const facts = Object.entries(notificationFacts(stored)).filter(([, value]) => value !== null);
  const width = Math.max(...facts.map(([name]) => name.length));
  for (const [name, value] of facts) print(environment, `${colors.dim(name.padEnd(width))}  ${value}`);
  print(environment, '');
  if (isCut) print(environment, colors.dim('(the oldest decisions are no longer kept in the row)'));
  for (const { atMs, rule, words } of lines) {
    print(environment, `${isoTime(atMs)}  ${words}${rule === null ? '' : colors.dim(`  [${rule}]`)}`);
  }
  print(environment, '');
  print(environment, `${colors.bold('Next:')} ${next.words}`);
}

function idOf(text: string): NotificationId {
  const id = parseNotificationId(text);
  if (id === null) throw new InvalidArgumentError('It is not a uuid.');
  return id;
}

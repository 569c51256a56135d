// What a record of commands.v1 becomes: one answer in the row's timeline. A cancel whose notification is not there keeps its place, so
// that the request is not sent when it comes; any other command without a row, or for another tenant's, is refused and counted.
import type { LogRecord } from '../broker/log.ts';
import { type CommandResult, cancelBeforeRequest, planCommand } from '../domain/command.ts';
import type { Notification } from '../domain/notification.ts';
import type { NotificationCommand } from '../domain/notification-command.ts';
import type { Content } from '../domain/request.ts';
import { InvariantBroken } from '../runtime/fault.ts';
import type { Stored } from '../state/store.ts';
import { decodeNotificationCommand } from '../streams/notification-command.ts';
import { causeFacts } from './cause-facts.ts';
import { quarantineRecord } from './dead-letters.ts';
import { type Engine, factsFor } from './engine.ts';
import { payObligation, publishOutcome } from './obligations.ts';
import { commitChange, loadStored } from './subject.ts';
import { DONE, type Turn } from './turn.ts';

/** What the row or nobody answered. */
type Answered = CommandResult | 'repeated' | 'refused-unknown-id' | 'dead-row-refused';

/** Other writers of one key are few: a zombie, its successor, a sweep. */
const MAX_TRIES = 100;

export async function onCommand(engine: Engine, record: LogRecord): Promise<Turn> {
  const answer = await engine.schemas.decode(() => decodeNotificationCommand(engine.codec, record));
  if (answer.kind !== 'decoded') {
    const { reason, detail } = answer.kind === 'violation' ? answer : { reason: 'undecodable', detail: '' };
    await quarantineRecord(engine, record, { reason, detail });
    engine.metrics.increment('pin_commands_total', { kind: 'unread', result: `dead-${reason}` });
    return DONE;
  }
  const command = answer.value;
  const result = await obey(engine, command);
  engine.metrics.increment('pin_commands_total', { kind: command.kind, result });
  engine.logger.debug('command.answered', {
    notification_id: command.notificationId,
    command_id: command.commandId,
    kind: command.kind,
    result,
  });
  return DONE;
}

async function obey(engine: Engine, command: NotificationCommand): Promise<Answered> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const stored = await loadStored(engine, command.notificationId);
    if (stored !== null && (await wasRefused(engine, command))) return 'repeated';
    const answer = stored === null ? await keepPlace(engine, command) : await told(engine, stored, command);
    if (answer === 'refused-unknown-id') await refuse(engine, command);
    if (answer !== 'lost-race') return answer;
  }
  throw new InvariantBroken(`a command could not be answered for ${command.notificationId}`);
}

/** Read again, a command that met nothing must not meet what came later. */
function refuse(engine: Engine, { commandId, notificationId }: NotificationCommand): Promise<void> {
  return engine.outages.riding('postgres', () => engine.store.refuseCommand(commandId, notificationId));
}

function wasRefused(engine: Engine, { commandId }: NotificationCommand): Promise<boolean> {
  return engine.outages.riding('postgres', () => engine.store.wasRefused(commandId));
}

/** There is no row: a cancel writes one that its request will meet. */
async function keepPlace(engine: Engine, command: NotificationCommand): Promise<Answered | 'lost-race'> {
  // Whoever names a later cycle has seen a row that is not here.
  const isOfThisPlace = command.expectedCycle === null || command.expectedCycle === 0;
  if (command.kind !== 'cancel' || !isOfThisPlace) return 'refused-unknown-id';
  const answer = await engine.store.insert({
    change: cancelBeforeRequest(command),
    content: null,
    writeToken: engine.ids.uuid(),
  });
  if (answer.kind === 'written') return 'done';
  return answer.kind === 'exists' ? 'lost-race' : 'dead-row-refused';
}

async function told(
  engine: Engine,
  { row: loaded, content }: Stored,
  command: NotificationCommand,
): Promise<Answered | 'lost-race'> {
  let row: Notification = loaded;
  const isPurged = content === null;
  let plan = planCommand(row, command, factsFor(engine, row, content), isPurged);
  if (plan.kind === 'publish') {
    row = await publishOutcome(engine, row, content);
    plan = planCommand(row, command, factsFor(engine, row, content), isPurged);
  }
  if (plan.kind === 'repeat') return 'repeated';
  if (plan.kind === 'purged') return 'refused-purged';
  if (plan.kind !== 'answer') return 'refused-unknown-id';
  const committed = await commitChange(engine, { kind: 'stored', row, content }, plan.change);
  if (committed.kind === 'lost-race') return 'lost-race';
  if (committed.kind === 'quarantined') return 'dead-row-refused';
  if (plan.change.wake.kind !== 'keep') await payObligation(engine, committed.row, content, row.status);
  reportAnswer(engine, row, committed.row, content);
  return plan.result;
}

/** A redrive of what may have arrived is the operator's wish and a possible duplicate. */
function reportAnswer(
  engine: Engine,
  before: Notification,
  row: Notification,
  content: Content | null,
): void {
  if (row.cycle === before.cycle) return;
  if (before.outcome?.isUncertain === true)
    engine.metrics.increment('pin_possible_duplicates_total', { channel: row.channel });
  engine.logger.info('notification.reopened', {
    notification_id: row.id,
    channel: row.channel,
    cycle: row.cycle,
    status_from: before.status,
    status_to: row.status,
    version: row.version,
    ...causeFacts(content),
  });
}

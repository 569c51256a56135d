// commands.v1: what people ask of one notification.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import { COMMAND_KINDS, type CommandKind, type NotificationCommand } from '../domain/notification-command.ts';
import { cloudEventHeaders } from './cloud-event.ts';
import type { Codec } from './codec.ts';
import { type DecodeAnswer, invalidField, type Violation } from './decode-answer.ts';
import {
  counterProblem,
  idProblem,
  MAX_ID_CHARS,
  requiredTextProblem,
  textProblem,
  timeProblem,
  uuidProblem,
} from './field-rules.ts';
import type { NotificationCommand as CommandValue } from './generated/notification-command.ts';
import { decodeKeyed } from './keyed-value.ts';
import type { Topics } from './topics.ts';

const MAX_REASON_CHARS = 1_024;

/** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function decodeNotificationCommand(
  codec: Codec,
  record: LogRecord,
): Promise<DecodeAnswer<NotificationCommand>> {
  const answer = await decodeKeyed(codec, 'notification-command', record);
  if (answer.kind !== 'decoded') return answer;
  const { id, value } = answer.value;
  const problem = commandProblem(value);
  if (problem !== null) return problem;
  const { kind } = value;
  if (!isCommandKind(kind)) return invalidField('kind', 'is not one of ours');
  const command: NotificationCommand = {
    commandId: value.commandId.toLowerCase(),
    notificationId: id,
    tenantId: value.tenantId,
    kind,
    actor: value.actor,
    reason: value.reason,
    expectedCycle: value.expectedCycle,
    isForced: value.force,
    issuedAtMs: value.issuedAt,
  };
  return { kind: 'decoded', value: command };
}

/** @throws Fault VALUE_TOO_LARGE (not retriable) */
export function notificationCommandRecord(
  topics: Topics,
  codec: Codec,
  command: NotificationCommand,
  traceparent: string | null,
): OutgoingRecord {
  const { issuedAtMs, isForced, ...same } = command;
  const value: CommandValue = { force: isForced, issuedAt: issuedAtMs, ...same };
  return {
    topic: topics.commands,
    partition: null,
    key: Buffer.from(command.notificationId),
    value: codec.encode(topics.commands, value),
    headers: cloudEventHeaders({
      type: 'NotificationCommand',
      id: command.commandId,
      timeMs: issuedAtMs,
      subject: command.notificationId,
      tenantId: command.tenantId,
      correlationId: null,
      causationId: null,
      traceparent,
    }),
  };
}

function commandProblem(value: CommandValue): Violation | null {
  if (value.tenantId === '') return invalidField('tenantId', 'is empty; the platform itself is null');
  return (
    uuidProblem('commandId', value.commandId) ??
    idProblem('tenantId', value.tenantId) ??
    requiredTextProblem('actor', value.actor, MAX_ID_CHARS) ??
    textProblem('reason', value.reason, MAX_REASON_CHARS) ??
    counterProblem('expectedCycle', value.expectedCycle) ??
    timeProblem('issuedAt', value.issuedAt)
  );
}

function isCommandKind(text: string): text is CommandKind {
  return (COMMAND_KINDS as readonly string[]).includes(text);
}

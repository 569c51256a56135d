// A command that meets a row, as both suites about commands say it.
import { planCommand } from '../../../src/domain/command.ts';
import type { Notification } from '../../../src/domain/notification.ts';
import type { NotificationCommand } from '../../../src/domain/notification-command.ts';
import { aCommand, aNotification, someFacts } from '../../support/a-notification.ts';

export const facts = someFacts();
export const told = (row: Notification, over: Partial<NotificationCommand>, isPurged = false) => {
  const plan = planCommand(row, aCommand(over), facts, isPurged);
  return plan.kind === 'answer' ? { result: plan.result, ...plan.change } : plan;
};
export const ID = aCommand().commandId;
export const failed = (over: Partial<Notification> = {}) =>
  aNotification({
    status: 'Failed',
    final: 'exhausted',
    attempts: 5,
    wakeAtMs: null,
    wakeInLog: false,
    outcomeSeq: 1,
    publishedSeq: 1,
    ...over,
  });
export const KEPT = { wake: { kind: 'keep' }, isNextAttempt: false };

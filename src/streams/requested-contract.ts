// The contract of requested.v1 beyond its schema: known channel, one recipient, exactly one content, sane sizes and times.
// The first problem is the answer. It never looks at a clock: a deadline that has passed is an outcome, not a violation.
import { isChannel } from '../domain/channel.ts';
import { invalidField, type Violation, violation } from './decode-answer.ts';
import {
  idProblem,
  MAX_ID_CHARS,
  type MapLimits,
  mapProblem,
  requiredTextProblem,
  textProblem,
  timeProblem,
  uuidProblem,
} from './field-rules.ts';
import type { NotificationRequested } from './generated/notification-requested.ts';
import { isRecipientList } from './recipient-list.ts';

export const MAX_RECIPIENT_CHARS = 4_096;
export const MAX_SUBJECT_CHARS = 998;
export const MAX_BODY_CHARS = 524_288;
export const MAX_TITLE_CHARS = 256;
export const MAX_IN_APP_BODY_CHARS = 8_192;
export const DATA_LIMITS: MapLimits = { maxEntries: 256, maxValueChars: 65_536 };
/** Attributes travel on with the outcome, so they stay small. */
export const ATTRIBUTE_LIMITS: MapLimits = { maxEntries: 64, maxValueChars: 1_024 };

export function requestedProblem(value: NotificationRequested): Violation | null {
  return (
    addressProblem(value) ??
    contentProblem(value) ??
    inAppProblem(value) ??
    scheduleProblem(value) ??
    originProblem(value)
  );
}

// One address per record: line breaks and other control characters have no place in it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

function addressProblem({ tenantId, channel, recipient }: NotificationRequested): Violation | null {
  if (!isChannel(channel)) return violation('unknown-channel', 'channel is not one of ours', 'channel');
  if (isRecipientList(channel, recipient)) {
    return violation('recipient-list', 'recipient holds several addresses', 'recipient');
  }
  if (tenantId === '') return invalidField('tenantId', 'is empty; the platform itself is null');
  const problem =
    requiredTextProblem('recipient', recipient, MAX_RECIPIENT_CHARS) ?? idProblem('tenantId', tenantId);
  if (problem !== null) return problem;
  return CONTROL_CHARACTERS.test(recipient)
    ? invalidField('recipient', 'contains a control character')
    : null;
}

function contentProblem({ template, body, data }: NotificationRequested): Violation | null {
  if ((template === null) === (body === null)) {
    return invalidField('template', 'and body: exactly one of them must be set');
  }
  const problem = template === null ? bodyProblem(body) : templateProblem(template);
  return problem ?? mapProblem('data', data, DATA_LIMITS);
}

function templateProblem({ key, version, locale }: NonNullable<NotificationRequested['template']>) {
  return (
    requiredTextProblem('template.key', key, MAX_ID_CHARS) ??
    idProblem('template.version', version) ??
    idProblem('template.locale', locale)
  );
}

function bodyProblem(body: NotificationRequested['body']): Violation | null {
  if (body === null) return null;
  const { subject, text, html } = body;
  if ([subject, text, html].every((part) => part === null || part.trim() === '')) {
    return invalidField('body', 'has no text');
  }
  return (
    textProblem('body.subject', subject, MAX_SUBJECT_CHARS) ??
    textProblem('body.text', text, MAX_BODY_CHARS) ??
    textProblem('body.html', html, MAX_BODY_CHARS)
  );
}

function inAppProblem({ inApp, channel, recipient }: NotificationRequested): Violation | null {
  if (inApp === null) return null;
  if (channel === 'in-app' && inApp.userId !== recipient) {
    return invalidField('inApp.userId', 'differs from the recipient, who is the user of this channel');
  }
  return (
    requiredTextProblem('inApp.userId', inApp.userId, MAX_ID_CHARS) ??
    requiredTextProblem('inApp.title', inApp.title, MAX_TITLE_CHARS) ??
    textProblem('inApp.body', inApp.body, MAX_IN_APP_BODY_CHARS)
  );
}

function scheduleProblem({ requestedAt, notBefore, notAfter }: NotificationRequested): Violation | null {
  const problem =
    timeProblem('requestedAt', requestedAt) ??
    timeProblem('notBefore', notBefore) ??
    timeProblem('notAfter', notAfter);
  if (problem !== null) return problem;
  const isOpen = notBefore === null || notAfter === null || notAfter > notBefore;
  return isOpen ? null : invalidField('notAfter', 'is not later than notBefore');
}

function originProblem(value: NotificationRequested): Violation | null {
  return (
    uuidProblem('parentId', value.parentId) ??
    idProblem('priority', value.priority) ??
    idProblem('aggregateType', value.aggregateType) ??
    idProblem('aggregateId', value.aggregateId) ??
    idProblem('orgUnitId', value.orgUnitId) ??
    idProblem('trigger', value.trigger) ??
    idProblem('correlationId', value.correlationId) ??
    idProblem('causationId', value.causationId) ??
    mapProblem('attributes', value.attributes, ATTRIBUTE_LIMITS)
  );
}

// For callers without a type checker: every field that is given has its type, and no field is unknown. What the values may be is the
// contract's business.
import { invalidField, type Violation } from '../../streams/decode-answer.ts';
import type { NewNotification } from './new-notification.ts';

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isTime: Test = (value) => Number.isSafeInteger(value);
const isTexts: Test = (value) => isRecord(value) && Object.values(value).every(isText);
const isOneOrMany: Test = (value) => isText(value) || (Array.isArray(value) && value.every(isText));

const FIELDS: Readonly<Record<keyof NewNotification, readonly [Test, string]>> = {
  notificationId: [isText, 'a text'],
  tenantId: [(value) => value === null || isText(value), 'a text or null'],
  channel: [isText, 'a text'],
  to: [isOneOrMany, 'a text or a list of texts'],
  template: [isTexts, 'an object of texts'],
  body: [isTexts, 'an object of texts'],
  data: [isTexts, 'an object of texts'],
  inApp: [isTexts, 'an object of texts'],
  notBefore: [isTime, 'a time in whole milliseconds'],
  notAfter: [isTime, 'a time in whole milliseconds'],
  requestedAt: [isTime, 'a time in whole milliseconds'],
  priority: [isText, 'a text'],
  aggregateType: [isText, 'a text'],
  aggregateId: [isText, 'a text'],
  orgUnitId: [isText, 'a text'],
  trigger: [isText, 'a text'],
  correlationId: [isText, 'a text'],
  causationId: [isText, 'a text'],
  attributes: [isTexts, 'an object of texts'],
};

const NEEDED: readonly (keyof NewNotification)[] = ['channel', 'to'];

const PARTS: Readonly<Record<string, readonly string[]>> = {
  template: ['key', 'version', 'locale'],
  body: ['subject', 'text', 'html'],
  inApp: ['userId', 'title', 'body'],
};

export function shapeProblem(asked: NewNotification): Violation | null {
  if (!isRecord(asked)) return invalidField('notification', 'is not an object');
  const missing = NEEDED.find((name) => asked[name] === undefined);
  if (missing !== undefined) return invalidField(missing, 'is missing');
  for (const [name, value] of Object.entries(asked)) {
    const problem = value === undefined ? null : fieldProblem(name, value);
    if (problem !== null) return problem;
  }
  const { inApp } = asked;
  const lacking = inApp === undefined ? undefined : PARTS['inApp']?.find((part) => !(part in inApp));
  return lacking === undefined ? null : invalidField(`inApp.${lacking}`, 'is missing');
}

function fieldProblem(name: string, value: unknown): Violation | null {
  if (!Object.hasOwn(FIELDS, name)) return unknownField(name);
  const [isFine, words] = FIELDS[name as keyof NewNotification];
  if (!isFine(value)) return invalidField(name, `is not ${words}`);
  const parts = PARTS[name];
  const unknown =
    parts && isRecord(value) ? Object.keys(value).find((part) => !parts.includes(part)) : undefined;
  return unknown === undefined ? null : unknownField(`${name}.${unknown}`);
}

function unknownField(name: string): Violation {
  return invalidField(name.slice(0, MAX_NAME_CHARS), 'is not a field of ours');
}

const MAX_NAME_CHARS = 64;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

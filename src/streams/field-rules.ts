// Rules for single fields. Each answers with null or with a violation that names the field and never shows its value.
import { parseNotificationId } from '../domain/notification-id.ts';
import { invalidField, type Violation } from './decode-answer.ts';

/** Ids of other services, names and codes. */
export const MAX_ID_CHARS = 128;

/** 2001-01-01 and 2100-01-01: outside are seconds, microseconds and mistakes. */
const MIN_TIME_MS = 978_307_200_000;
const MAX_TIME_MS = 4_102_444_800_000;

const MAX_COUNTER = 2_147_483_647;

/** At most `maxChars`, without NUL, which the database could not store. */
export function textProblem(field: string, value: string | null, maxChars: number): Violation | null {
  if (value === null) return null;
  if (value.length > maxChars) return invalidField(field, `is longer than ${maxChars} characters`);
  return value.includes('\0') ? invalidField(field, 'contains a NUL character') : null;
}

/** As `textProblem`, and something must be there. */
export function requiredTextProblem(field: string, value: string, maxChars: number): Violation | null {
  return value.trim() === '' ? invalidField(field, 'is empty') : textProblem(field, value, maxChars);
}

export function idProblem(field: string, value: string | null): Violation | null {
  return textProblem(field, value, MAX_ID_CHARS);
}

export function uuidProblem(field: string, value: string | null): Violation | null {
  const isFine = value === null || parseNotificationId(value) !== null;
  return isFine ? null : invalidField(field, 'is not a uuid');
}

export function timeProblem(field: string, value: number | null): Violation | null {
  const isFine = value === null || (value >= MIN_TIME_MS && value <= MAX_TIME_MS);
  return isFine ? null : invalidField(field, 'is not in milliseconds between 2001 and 2100');
}

export function counterProblem(field: string, value: number | null): Violation | null {
  const isFine = value === null || (Number.isInteger(value) && value >= 0 && value <= MAX_COUNTER);
  return isFine ? null : invalidField(field, 'is not a count');
}

export interface MapLimits {
  readonly maxEntries: number;
  readonly maxValueChars: number;
}

export function mapProblem(
  field: string,
  map: Readonly<Record<string, string>>,
  { maxEntries, maxValueChars }: MapLimits,
): Violation | null {
  const entries = Object.entries(map);
  if (entries.length > maxEntries) return invalidField(field, `has more than ${maxEntries} entries`);
  for (const [key, value] of entries) {
    const problem = idProblem(`${field} key`, key) ?? textProblem(`${field} value`, value, maxValueChars);
    if (problem !== null) return { ...problem, field };
  }
  return null;
}

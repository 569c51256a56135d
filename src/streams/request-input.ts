// A request as a person, a script or another service writes it in JSON: the field names of the contract, times as ISO 8601 or as a wait
// from now, one recipient or many. It becomes the domain's requests or a list of everything that is wrong with it. Only the shape is
// judged here; the contract is judged by requested-contract.ts, as at the topic.
import { z } from 'zod';
import { CHANNELS, isChannel } from '../domain/channel.ts';
import { type NotificationId, parseNotificationId } from '../domain/notification-id.ts';
import type { NotificationRequest } from '../domain/request.ts';
import { type Clock, epochMsOfIso } from '../runtime/clock.ts';
import { parseDuration } from '../runtime/duration.ts';
import { type Ids, uuidOfTime } from '../runtime/ids.ts';
import { fanOut } from './fan-out.ts';
import { requestProblem } from './requested.ts';

export interface FieldProblem {
  /** A dotted path; null: the value as a whole. */
  readonly field: string | null;
  /** A sentence that names the field and never shows its value. */
  readonly words: string;
}

export type RequestsAnswer =
  | {
      readonly kind: 'requests';
      /** What was asked under: the id of the only request, the parent of several. */
      readonly sourceId: NotificationId;
      readonly requests: readonly NotificationRequest[];
    }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] };

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const texts = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))
  .nullish()
  .transform((value) => value ?? {});
const time = z.union([z.string(), z.number().int()]).nullish();
const template = z
  .strictObject({ key: z.string(), version: text, locale: text })
  .nullish()
  .transform((value) => value ?? null);
const body = z
  .strictObject({ subject: text, text, html: text })
  .nullish()
  .transform((value) => value ?? null);
const inApp = z
  .strictObject({ userId: z.string(), title: z.string(), body: z.string() })
  .nullish()
  .transform((value) => value ?? null);

/** The shape of one request; the OpenAPI document is made from it. */
export const requestShape = z.strictObject({
  notificationId: z.string().nullish(),
  tenantId: text,
  channel: z.string().refine(isChannel, { error: `must be one of ${CHANNELS.join(', ')}` }),
  recipient: z.string().nullish(),
  to: z.union([z.string(), z.array(z.string())]).nullish(),
  template,
  body,
  data: texts,
  inApp,
  notBefore: time,
  notAfter: time,
  priority: text,
  parentId: text,
  aggregateType: text,
  aggregateId: text,
  orgUnitId: text,
  trigger: text,
  correlationId: text,
  causationId: text,
  requestedAt: time,
  attributes: texts,
});

/** What each field that is not given becomes. */
export interface InputDefaults {
  readonly notificationId?: string;
  readonly tenantId?: string | null;
}

/** A request without an id gets a fresh one (uuid v7); without `requestedAt` it is requested now. */
export function requestsOfInput(
  deps: { readonly clock: Clock; readonly ids: Ids },
  input: unknown,
  defaults: InputDefaults = {},
): RequestsAnswer {
  const parsed = requestShape.safeParse(input);
  if (!parsed.success) return { kind: 'invalid', problems: parsed.error.issues.map(issueProblem) };
  const { notificationId, recipient, to, notBefore, notAfter, requestedAt, ...same } = parsed.data;
  const nowMs = deps.clock.nowMs();
  const id = parseNotificationId(
    notificationId ?? defaults.notificationId ?? uuidOfTime(nowMs, deps.ids.uuid()),
  );
  const times = { notBefore, notAfter, requestedAt };
  const problems = [
    ...(id === null ? [problemOf('notificationId', 'is not a uuid')] : []),
    ...Object.entries(times).flatMap(([name, value]) => timeProblems(name, value, nowMs)),
    ...recipientProblems(recipient ?? null, to ?? null),
  ];
  if (id === null || problems.length > 0) return { kind: 'invalid', problems };
  const source = {
    ...same,
    tenantId: same.tenantId ?? defaults.tenantId ?? null,
    notificationId: id,
    notBeforeMs: epochMs(notBefore, nowMs) ?? null,
    notAfterMs: epochMs(notAfter, nowMs) ?? null,
    requestedAtMs: epochMs(requestedAt, nowMs) ?? nowMs,
  };
  return checked(source, recipientsOf(recipient ?? to ?? []));
}

function checked(source: Omit<NotificationRequest, 'recipient'>, recipients: readonly string[]) {
  const answer = fanOut(source, recipients);
  if (answer.kind === 'violation') return invalid([{ field: answer.field, words: answer.detail }]);
  // They differ in their recipient alone: what is wrong with all of them is said once.
  const violations = answer.requests.map(requestProblem).filter((violation) => violation !== null);
  const problems = new Map(
    violations.map(({ field, detail }) => [`${field}${detail}`, { field, words: detail }]),
  );
  if (problems.size > 0) return invalid([...problems.values()]);
  return { kind: 'requests', sourceId: source.notificationId, requests: answer.requests } as const;
}

function invalid(problems: readonly FieldProblem[]) {
  return { kind: 'invalid', problems } as const;
}

function recipientsOf(named: string | readonly string[]): readonly string[] {
  return typeof named === 'string' ? [named] : named;
}

function recipientProblems(recipient: string | null, to: string | readonly string[] | null) {
  if (recipient !== null && to !== null)
    return [problemOf('to', 'and recipient: only one of them can be set')];
  return recipient === null && to === null ? [problemOf('recipient', 'is missing (or `to`, for many)')] : [];
}

function timeProblems(name: string, value: string | number | null | undefined, nowMs: number) {
  return epochMs(value, nowMs) === undefined
    ? [problemOf(name, 'is neither a time (2026-11-29T18:00:00Z) nor a wait (15m)')]
    : [];
}

/** undefined: no time at all; null: not given. */
function epochMs(value: string | number | null | undefined, nowMs: number): number | null | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  const waitMs = parseDuration(value);
  return waitMs === null ? (epochMsOfIso(value) ?? undefined) : nowMs + waitMs;
}

function problemOf(field: string, detail: string): FieldProblem {
  return { field, words: `${field}: ${detail}` };
}

function issueProblem(issue: z.core.$ZodIssue): FieldProblem {
  // An unknown field is reported of the object that holds it; the field itself is what the caller looks for.
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...issue.path, ...unknown].join('.');
  const words = issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
  return { field: field === '' ? null : field, words };
}

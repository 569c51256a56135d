// A request as a person or a script writes it in JSON: the field names of the contract, times as ISO 8601 or as a wait from now.
// It becomes the domain's request or a list of everything that is wrong with it.
import { z } from 'zod';
import { CHANNELS, isChannel } from '../../domain/channel.ts';
import { parseNotificationId } from '../../domain/notification-id.ts';
import type { NotificationRequest } from '../../domain/request.ts';
import { type Clock, epochMsOfIso } from '../../runtime/clock.ts';
import { parseDuration } from '../../runtime/duration.ts';
import type { Ids } from '../../runtime/ids.ts';
import { requestProblem } from '../../streams/requested.ts';

export type RequestAnswer =
  | { readonly kind: 'request'; readonly request: NotificationRequest }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

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

const requestInput = z.strictObject({
  notificationId: z.string().nullish(),
  tenantId: text,
  channel: z.string().refine(isChannel, { error: `must be one of ${CHANNELS.join(', ')}` }),
  recipient: z.string(),
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

/** A request without an id gets a fresh one; without `requestedAt` it is requested now. */
export function requestOfInput(
  deps: { readonly clock: Clock; readonly ids: Ids },
  input: unknown,
): RequestAnswer {
  const parsed = requestInput.safeParse(input);
  if (!parsed.success) return { kind: 'invalid', problems: parsed.error.issues.map(issueWords) };
  const { notificationId, notBefore, notAfter, requestedAt, ...same } = parsed.data;
  const nowMs = deps.clock.nowMs();
  const id = parseNotificationId(notificationId ?? deps.ids.uuid());
  const times = { notBefore, notAfter, requestedAt };
  const wrongTimes = Object.entries(times).flatMap(([name, value]) =>
    epochMs(value, nowMs) === undefined
      ? [`${name}: is neither a time (2026-11-29T18:00:00Z) nor a wait (15m)`]
      : [],
  );
  const problems = [...(id === null ? ['notificationId: is not a uuid'] : []), ...wrongTimes];
  if (id === null || problems.length > 0) return { kind: 'invalid', problems };
  const request: NotificationRequest = {
    ...same,
    notificationId: id,
    notBeforeMs: epochMs(notBefore, nowMs) ?? null,
    notAfterMs: epochMs(notAfter, nowMs) ?? null,
    requestedAtMs: epochMs(requestedAt, nowMs) ?? nowMs,
  };
  const violation = requestProblem(request);
  return violation === null
    ? { kind: 'request', request }
    : { kind: 'invalid', problems: [violation.detail] };
}

/** undefined: no time at all; null: not given. */
function epochMs(value: string | number | null | undefined, nowMs: number): number | null | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  const waitMs = parseDuration(value);
  return waitMs === null ? (epochMsOfIso(value) ?? undefined) : nowMs + waitMs;
}

function issueWords(issue: z.core.$ZodIssue): string {
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

// What an upstream service asks for, in its own words, as the requests that the processor will see: checked by the very contract that the
// processor applies, so that a mistake is told where it was made. It sends nothing.
import { type NotificationId, parseNotificationId } from '../../domain/notification-id.ts';
import type { NotificationRequest } from '../../domain/request.ts';
import { currentCause } from '../../runtime/cause.ts';
import { systemClock } from '../../runtime/clock.ts';
import { systemIds, uuidOfTime } from '../../runtime/ids.ts';
import { invalidField } from '../../streams/decode-answer.ts';
import { fanOut } from '../../streams/fan-out.ts';
import { requestProblem } from '../../streams/requested.ts';
import { type NewNotification, RequestRefused } from './new-notification.ts';
import { shapeProblem } from './request-shape.ts';

export interface NewRequests {
  /** What was asked under: the id of the only request, the parent of several. */
  readonly sourceId: NotificationId;
  readonly recipients: readonly string[];
  /** As `requests`, before a list of recipients became one each. */
  readonly source: Omit<NotificationRequest, 'recipient'>;
  readonly requests: readonly NotificationRequest[];
}

/** @throws RequestRefused */
export function newRequests(asked: NewNotification): NewRequests {
  const wrongShape = shapeProblem(asked);
  if (wrongShape !== null) throw new RequestRefused(wrongShape);
  const nowMs = systemClock.nowMs();
  const sourceId = parseNotificationId(asked.notificationId ?? uuidOfTime(nowMs, systemIds.uuid()));
  if (sourceId === null) throw new RequestRefused(invalidField('notificationId', 'is not a uuid'));
  const source = sourceOf(asked, sourceId, nowMs);
  const recipients = typeof asked.to === 'string' ? [asked.to] : asked.to;
  const answer = fanOut(source, recipients);
  if (answer.kind === 'violation') throw new RequestRefused(answer);
  for (const request of answer.requests) {
    const violation = requestProblem(request);
    if (violation !== null) throw new RequestRefused(violation);
  }
  return { sourceId, recipients, source, requests: answer.requests };
}

function sourceOf(asked: NewNotification, notificationId: NotificationId, nowMs: number) {
  const { template, body, notBefore = null, notAfter = null, requestedAt = nowMs } = asked;
  const { tenantId = null, orgUnitId = null, aggregateType = null, aggregateId = null } = asked;
  const { inApp = null, priority = null, trigger = null, data = {}, attributes = {} } = asked;
  const cause = currentCause() ?? { correlationId: null, causationId: null };
  const { correlationId = cause.correlationId, causationId = cause.causationId } = asked;
  return {
    ...{ notificationId, tenantId, orgUnitId, channel: asked.channel, parentId: null },
    template: template === undefined ? null : { ...NO_TEMPLATE, ...template },
    body: body === undefined ? null : { ...NO_BODY, ...body },
    ...{ data, inApp, attributes, priority, trigger, aggregateType, aggregateId, correlationId, causationId },
    ...{ notBeforeMs: notBefore, notAfterMs: notAfter, requestedAtMs: requestedAt },
  };
}

const NO_TEMPLATE = { key: '', version: null, locale: null };
const NO_BODY = { subject: null, text: null, html: null };

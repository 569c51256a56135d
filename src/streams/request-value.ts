// The request as its Avro value and as the domain sees it, field by field, both ways.
import { isChannel } from '../domain/channel.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { NotificationRequest } from '../domain/request.ts';
import { invariant } from '../runtime/fault.ts';
import type { NotificationRequested } from './generated/notification-requested.ts';

/** `value` has passed the contract. Plain objects throughout, whatever the decoder made. */
export function requestOf(id: NotificationId, value: NotificationRequested): NotificationRequest {
  const { channel, template, body, inApp } = value;
  invariant(isChannel(channel), 'a request with an unknown channel passed its contract');
  return {
    notificationId: id,
    tenantId: value.tenantId,
    channel,
    recipient: value.recipient,
    template: template && { key: template.key, version: template.version, locale: template.locale },
    body: body && { subject: body.subject, text: body.text, html: body.html },
    data: value.data,
    inApp: inApp && { userId: inApp.userId, title: inApp.title, body: inApp.body },
    notBeforeMs: value.notBefore,
    notAfterMs: value.notAfter,
    priority: value.priority,
    parentId: value.parentId,
    aggregateType: value.aggregateType,
    aggregateId: value.aggregateId,
    orgUnitId: value.orgUnitId,
    trigger: value.trigger,
    correlationId: value.correlationId,
    causationId: value.causationId,
    requestedAtMs: value.requestedAt,
    attributes: value.attributes,
  };
}

export function valueOfRequest(request: NotificationRequest): NotificationRequested {
  return {
    notificationId: request.notificationId,
    tenantId: request.tenantId,
    channel: request.channel,
    recipient: request.recipient,
    template: request.template,
    body: request.body,
    data: request.data,
    inApp: request.inApp,
    notBefore: request.notBeforeMs,
    notAfter: request.notAfterMs,
    priority: request.priority,
    parentId: request.parentId,
    aggregateType: request.aggregateType,
    aggregateId: request.aggregateId,
    orgUnitId: request.orgUnitId,
    trigger: request.trigger,
    correlationId: request.correlationId,
    causationId: request.causationId,
    requestedAt: request.requestedAtMs,
    attributes: request.attributes,
  };
}

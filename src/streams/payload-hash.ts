// What makes two requests the same: SHA-256 over the sorted JSON of tenant, channel, recipient, content and time window.
// The hash outlives the content and meets replays months later, so neither the fields nor the layout may ever change.
import { createHash } from 'node:crypto';
import type { NotificationRequest } from '../domain/request.ts';

/** Lower-case hex. Ids of the surrounding business (correlation, aggregate, …) do not count. */
export function payloadHash(request: NotificationRequest): string {
  const payload = {
    tenant: request.tenantId,
    channel: request.channel,
    recipient: request.recipient,
    template: request.template,
    body: request.body,
    data: request.data,
    inApp: request.inApp,
    notBefore: request.notBeforeMs,
    notAfter: request.notAfterMs,
  };
  return createHash('sha256').update(sortedJson(payload)).digest('hex');
}

/** JSON without white space, keys in the order of their UTF-16 units, whatever order the object has them in. */
function sortedJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`);
  return `{${members.join(',')}}`;
}

// What makes two requests the same: SHA-256 over the sorted JSON of tenant, channel, recipient, content and time window.
// The hash outlives the content and meets replays months later, so neither the fields nor the layout may ever change.
import { hash } from 'node:crypto';
import type { Body, InAppCopy, NotificationRequest, TemplateRef } from '../domain/request.ts';

/** Lower-case hex. Ids of the surrounding business (correlation, aggregate, …) do not count. */
export function payloadHash(request: NotificationRequest): string {
  return hash('sha256', sortedJson(request), 'hex');
}

/** JSON without white space, the keys of every object in order, written out because only `data` has keys that need sorting. */
function sortedJson(request: NotificationRequest): string {
  const { template, body, inApp } = request;
  const members = [
    `"body":${JSON.stringify(body && sortedBody(body))}`,
    `"channel":${JSON.stringify(request.channel)}`,
    `"data":${sortedMap(request.data)}`,
    `"inApp":${JSON.stringify(inApp && sortedCopy(inApp))}`,
    `"notAfter":${request.notAfterMs}`,
    `"notBefore":${request.notBeforeMs}`,
    `"recipient":${JSON.stringify(request.recipient)}`,
    `"template":${JSON.stringify(template && sortedTemplate(template))}`,
    `"tenant":${JSON.stringify(request.tenantId)}`,
  ];
  return `{${members.join(',')}}`;
}

function sortedBody({ html, subject, text }: Body): Body {
  return { html, subject, text };
}

function sortedCopy({ body, title, userId }: InAppCopy): InAppCopy {
  return { body, title, userId };
}

function sortedTemplate({ key, locale, version }: TemplateRef): TemplateRef {
  return { key, locale, version };
}

/** By hand: an object would put keys that look like numbers first. */
function sortedMap(map: Readonly<Record<string, string>>): string {
  const members = Object.keys(map)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(map[key])}`);
  return `{${members.join(',')}}`;
}

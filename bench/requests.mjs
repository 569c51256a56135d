// The work: one e-mail from a template, with an id as most producers make them (uuid v7). Every contender gets the same.
import { randomBytes } from 'node:crypto';

export function newRequests(count) {
  return Array.from({ length: count }, newRequest);
}

function newRequest() {
  const notificationId = newId();
  return {
    notificationId,
    tenantId: null,
    channel: 'email',
    recipient: 'someone@example.org',
    template: { key: 'welcome', version: '3', locale: 'en' },
    body: null,
    data: { name: 'Somebody', link: `https://example.org/confirm/${notificationId}` },
    inApp: null,
    notBeforeMs: null,
    notAfterMs: null,
    priority: null,
    parentId: null,
    aggregateType: null,
    aggregateId: null,
    orgUnitId: null,
    trigger: null,
    correlationId: null,
    causationId: null,
    requestedAtMs: Date.now(),
    attributes: {},
  };
}

function newId() {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join('-');
}

// What the demo asks for: a few notifications for several channels, and how the vendor treats each. Every ending of the main job is
// among them: at once, after failures, after a rate limit, after a lost answer, refused for good, and a budget that is used up.
import type { Channel } from '../../domain/channel.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import type { NotificationRequest } from '../../domain/request.ts';
import type { VendorAnswer } from '../../lab/vendor-answer.ts';

export interface DemoCase {
  readonly channel: Channel;
  readonly recipient: string;
  readonly what: string;
  /** The vendor's answers, one per call; then it accepts. */
  readonly answers: readonly VendorAnswer[];
}

const BUSY: VendorAnswer = { kind: 'error', status: 503, code: 'overloaded', retriable: true };
const LOST: VendorAnswer = { kind: 'cut', when: 'mid-answer', delivers: true };
const GATEWAY: VendorAnswer = { kind: 'page', status: 502 };
const WRONG: VendorAnswer = { kind: 'error', status: 422, code: 'invalid_recipient', retriable: false };
const LIMITED: VendorAnswer = {
  kind: 'error',
  status: 429,
  code: 'rate_limited',
  retriable: true,
  retryAfter: '3',
};

export const DEMO_MAX_ATTEMPTS = 4;

export const DEMO_CASES: readonly DemoCase[] = [
  { channel: 'email', recipient: 'ada@example.com', what: 'accepted at once', answers: [] },
  { channel: 'email', recipient: 'grace@example.com', what: 'two failures first', answers: [BUSY, BUSY] },
  { channel: 'sms', recipient: '+15550100', what: 'rate limited for 3 s', answers: [LIMITED] },
  { channel: 'push', recipient: 'device-4711', what: 'answer lost after delivery', answers: [LOST] },
  { channel: 'telegram', recipient: 'chat-42', what: 'gateway error, maybe sent', answers: [GATEWAY] },
  { channel: 'sms', recipient: '+15550199', what: 'no such number', answers: [WRONG] },
  {
    channel: 'email',
    recipient: 'edsger@example.com',
    what: 'three failures first',
    answers: [BUSY, BUSY, BUSY],
  },
  { channel: 'push', recipient: 'device-0815', what: 'fails for good', answers: [BUSY, BUSY, BUSY, BUSY] },
];

export function demoRequest(
  demo: DemoCase,
  notificationId: NotificationId,
  nowMs: number,
): NotificationRequest {
  return {
    notificationId,
    tenantId: 'demo',
    channel: demo.channel,
    recipient: demo.recipient,
    template: null,
    body: { subject: 'Hello from PIN', text: `This one: ${demo.what}.`, html: null },
    data: {},
    inApp: null,
    notBeforeMs: null,
    notAfterMs: null,
    priority: null,
    parentId: null,
    aggregateType: null,
    aggregateId: null,
    orgUnitId: null,
    trigger: 'demo',
    correlationId: notificationId,
    causationId: null,
    requestedAtMs: nowMs,
    attributes: {},
  };
}

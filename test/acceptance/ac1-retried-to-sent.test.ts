// AC1 on real Kafka, registry and Postgres. Judged by the vendor's ledger, the topic's bytes and the table.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VendorAnswer } from '../../src/lab/vendor-answer.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';

let service: RealService;
beforeAll(async () => {
  service = await startRealService({ channels: [testChannel('email'), testChannel('sms')] });
});
afterAll(() => service.stop());

const RETRY_AFTER_MS = 2_000;
const FAILURES: Readonly<Record<string, readonly VendorAnswer[]>> = {
  'a 503 in the vendor’s words': [{ kind: 'error', status: 503, code: 'overloaded', retriable: true }],
  'a timeout': [{ kind: 'hang' }],
  'a gateway page': [{ kind: 'page', status: 502 }],
  'a 429 with Retry-After': [
    {
      kind: 'error',
      status: 429,
      code: 'rate_limited',
      retriable: true,
      retryAfter: String(RETRY_AFTER_MS / 1_000),
    },
  ],
  'three failures of different kinds': [
    { kind: 'error', status: 500, code: 'internal', retriable: true },
    { kind: 'cut', when: 'before-reading', how: 'reset' },
    { kind: 'error', status: 503, code: 'overloaded', retriable: true },
  ],
};

for (const [what, answers] of Object.entries(FAILURES)) {
  test(`AC1 ${what}, then success: Sent with Attempts = N + 1, one message, one outcome`, async () => {
    const request = freshRequest({ channel: 'email' });
    const id = request.notificationId;
    service.vendor.plan(id, answers);
    await service.send(request);
    const outcome = await service.outcome(id);
    expect(outcome).toMatchObject({
      status: 'Sent',
      reason: 'accepted',
      attempts: answers.length + 1,
      outcomeSeq: 1,
      supersedes: null,
      channel: 'email',
    });
    const calls = service.vendor.ledger.calls.filter((call) => call.reference === id);
    expect(calls).toHaveLength(answers.length + 1);
    expect(new Set(calls.map((call) => call.idempotencyKey))).toEqual(new Set([`${id}:0`]));
    expect(service.vendor.ledger.messages.filter((message) => message.reference === id)).toHaveLength(1);
    const row = await service.rowWhere(id, (found) => Number(found['published_seq']) === 1);
    expect(row).toMatchObject({
      status: 'Sent',
      attempts: answers.length + 1,
      final: 'accepted',
      wake_at: null,
    });
    const lastCall = calls.at(-1);
    expect(lastCall?.atMs).toBeGreaterThanOrEqual(timeOf(row, 'next_attempt_at'));
    expect(outcome.providerMessageId).toBe(lastCall?.messageId);
    expect(await service.outcomesOf(id)).toHaveLength(1);
  });
}

test('AC1 NextAttemptAt keeps the provider’s Retry-After in full', async () => {
  const request = freshRequest({ channel: 'sms', recipient: '+15550100' });
  const id = request.notificationId;
  service.vendor.plan(id, FAILURES['a 429 with Retry-After'] ?? []);
  await service.send(request);
  await service.outcome(id);
  const calls = service.vendor.ledger.calls.filter((call) => call.reference === id);
  const [first, second] = calls;
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(RETRY_AFTER_MS);
  const row = await service.row(id);
  expect(timeOf(row ?? {}, 'next_attempt_at')).toBeGreaterThanOrEqual((first?.atMs ?? 0) + RETRY_AFTER_MS);
});

function timeOf(row: Record<string, unknown>, column: string): number {
  const time = row[column];
  return time instanceof Date ? time.getTime() : Number.NaN;
}

// AC7 on real servers: a failed receipt reopens what was Sent, and the end is told again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NotificationId } from '../../src/domain/notification-id.ts';
import { invariant } from '../../src/runtime/fault.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';
import { tellWebhook } from '../support/told-later.ts';

const MAX_ATTEMPTS = 2;
let service: RealService;
beforeAll(async () => {
  service = await startRealService({ channels: [testChannel('email', { maxAttempts: MAX_ATTEMPTS })] });
});
afterAll(() => service.stop());

test('AC7 a transient bounce returns the row to the retry cycle, which sends again and tells a second outcome', async () => {
  const id = await sent();
  await tellWebhook(service, id, { ...messageOf(id, 0), verdict: 'failed', errorClass: 'transient' });
  expect(await service.outcome(id, 2)).toMatchObject({
    status: 'Sent',
    reason: 'accepted',
    outcomeSeq: 2,
    supersedes: 1,
    cycle: 1,
    attempts: 2,
  });
  const calls = service.vendor.ledger.calls.filter(({ reference }) => reference === id);
  expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([`${id}:0`, `${id}:1`]);
  expect(await service.row(id)).toMatchObject({ status: 'Sent', cycle: 1, outcome_seq: 2 });
});

test('AC7 a bounce after the last attempt of the budget is terminal, and no call follows', async () => {
  const id = await sent();
  await tellWebhook(service, id, { ...messageOf(id, 0), verdict: 'failed', errorClass: 'transient' });
  await service.outcome(id, 2);
  await tellWebhook(service, id, { ...messageOf(id, 1), verdict: 'failed', errorClass: 'transient' });
  expect(await service.outcome(id, 3)).toMatchObject({ status: 'Failed', outcomeSeq: 3, supersedes: 2 });
  const row = await service.rowWhere(id, (seen) => seen['wake_at'] === null);
  expect(row).toMatchObject({ status: 'Failed', attempts: MAX_ATTEMPTS, published_seq: 3 });
  expect(service.vendor.ledger.messages.filter(({ reference }) => reference === id)).toHaveLength(2);
  expect(service.deadLetters()).toHaveLength(0);
});

test('AC7 a hard bounce is terminal at once', async () => {
  const id = await sent();
  await tellWebhook(service, id, { ...messageOf(id, 0), verdict: 'failed', errorClass: 'refused' });
  expect(await service.outcome(id, 2)).toMatchObject({
    status: 'Failed',
    reason: 'failed-webhook',
    outcomeSeq: 2,
    evidence: 'failed-webhook',
  });
  expect(service.vendor.ledger.calls.filter(({ reference }) => reference === id)).toHaveLength(1);
});

test('AC7 a failed receipt of an older message changes nothing', async () => {
  const id = await sent();
  const first = messageOf(id, 0);
  await tellWebhook(service, id, { ...first, verdict: 'failed', errorClass: 'transient' });
  await service.outcome(id, 2);
  await tellWebhook(service, id, { ...first, verdict: 'failed', errorClass: 'refused' });
  await service.rowWhere(id, (row) => JSON.stringify(row['evidence']).includes('failed-hard'));
  expect(await service.row(id)).toMatchObject({ status: 'Sent', outcome_seq: 2 });
  expect(await service.outcomesOf(id)).toHaveLength(2);
});

async function sent(): Promise<NotificationId> {
  const request = freshRequest();
  await service.send(request);
  await service.outcome(request.notificationId);
  return request.notificationId;
}

function messageOf(id: string, n: number) {
  const message = service.vendor.ledger.messages.filter(({ reference }) => reference === id)[n];
  invariant(message !== undefined, `${id} has no message ${n}`);
  return { providerMessageId: message.messageId, cycle: message.cycle };
}

// AC5 on real servers: the copy in the app arrives whatever the provider of the external channel does.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VendorAnswer } from '../../src/lab/vendor-answer.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';

let service: RealService;
beforeAll(async () => {
  service = await startRealService({ channels: [testChannel('email', { maxAttempts: 2 })] });
});
afterAll(() => service.stop());

const inApp = { userId: 'ada', title: 'Hello', body: 'Hello, Ada' };
const REFUSED: VendorAnswer = { kind: 'error', status: 400, code: 'invalid_recipient', retriable: false };
const DOWN: VendorAnswer = { kind: 'error', status: 503, code: 'overloaded', retriable: true };

test('AC5 a provider that refuses for good: Failed outside, and the copy is there', async () => {
  const request = freshRequest({ inApp });
  service.vendor.plan(request.notificationId, [REFUSED]);
  await service.send(request);
  expect(await service.outcome(request.notificationId)).toMatchObject({
    status: 'Failed',
    reason: 'refused',
  });
  expect(await service.row(request.notificationId)).toMatchObject({
    status: 'Failed',
    final: 'refused',
    in_app_status: 'arrived',
    outcome_seq: 1,
  });
});

test('AC5 a provider that is down until the budget is used up: the copy is there all the same, and tells no outcome of its own', async () => {
  const request = freshRequest({ inApp });
  service.vendor.plan(request.notificationId, [DOWN, DOWN]);
  await service.send(request);
  await service.rowWhere(request.notificationId, (row) => row['in_app_status'] === 'arrived');
  expect(await service.outcome(request.notificationId)).toMatchObject({
    status: 'Failed',
    reason: 'exhausted',
  });
  expect(await service.row(request.notificationId)).toMatchObject({ in_app_status: 'arrived', attempts: 2 });
  expect(await service.outcomesOf(request.notificationId)).toHaveLength(1);
});

test('AC5 the copy arrives while the first call still hangs', async () => {
  const request = freshRequest({ inApp });
  service.vendor.plan(request.notificationId, [{ kind: 'accept', latencyMs: 1_500 }]);
  await service.send(request);
  const row = await service.rowWhere(request.notificationId, (seen) => seen['in_app_status'] === 'arrived');
  expect(row).toMatchObject({ status: 'Pending', outcome_seq: 0 });
  expect(await service.outcome(request.notificationId)).toMatchObject({ status: 'Sent' });
});

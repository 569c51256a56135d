// AC2 on real Kafka, registry and Postgres. Judged by the vendor's ledger, the topic's bytes, the metrics page and the table.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';

const MAX_ATTEMPTS = 3;
let service: RealService;
beforeAll(async () => {
  service = await startRealService({ channels: [testChannel('email', { maxAttempts: MAX_ATTEMPTS })] });
});
afterAll(() => service.stop());

test('AC2 a budget that is used up ends in terminal Failed, is told and counted, and leaves the dead letters empty', async () => {
  service.vendor.rule(() => ({ kind: 'error', status: 503, code: 'overloaded', retriable: true }));
  const request = freshRequest({ channel: 'email' });
  const id = request.notificationId;
  await service.send(request);
  expect(await service.outcome(id)).toMatchObject({
    status: 'Failed',
    reason: 'exhausted',
    attempts: MAX_ATTEMPTS,
    maxAttempts: MAX_ATTEMPTS,
    errorCode: 'NTF_PROVIDER_TRANSIENT',
    outcomeSeq: 1,
    evidence: 'none',
  });
  expect(
    service.vendor.ledger.calls.filter((call) => call.reference === id).map((call) => call.attempt),
  ).toEqual([1, 2, 3]);
  expect(service.vendor.ledger.messages).toHaveLength(0);
  expect(await service.rowWhere(id, (row) => Number(row['published_seq']) === 1)).toMatchObject({
    status: 'Failed',
    final: 'exhausted',
    attempts: MAX_ATTEMPTS,
    wake_at: null,
  });
  expect(await service.metrics.render()).toContain(
    'pin_terminal_failures_total{channel="email",code="NTF_PROVIDER_TRANSIENT"} 1',
  );
  expect(service.deadLetters()).toHaveLength(0);
});

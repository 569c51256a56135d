// AC3 on real Kafka, registry and Postgres. Judged by the vendor's ledger, the topic's bytes and the table.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService } from '../support/real-service.ts';

let service: RealService;
beforeAll(async () => {
  service = await startRealService();
});
afterAll(() => service.stop());

test('AC3 an invalid recipient is terminal at once: one call, no message, one outcome', async () => {
  const request = freshRequest({ channel: 'email', recipient: 'nobody@nowhere.invalid' });
  const id = request.notificationId;
  service.vendor.plan(id, [{ kind: 'error', status: 422, code: 'invalid_recipient', retriable: false }]);
  await service.send(request);
  expect(await service.outcome(id)).toMatchObject({
    status: 'Failed',
    reason: 'refused',
    errorCode: 'NTF_PROVIDER_INVALID_RECIPIENT',
    errorClass: 'refused',
    attempts: 1,
  });
  await service.rowWhere(id, (row) => Number(row['published_seq']) === 1 && row['final'] === 'refused');
  expect(service.vendor.ledger.calls.filter((call) => call.reference === id)).toHaveLength(1);
  expect(service.vendor.ledger.messages).toHaveLength(0);
  expect(service.deadLetters()).toHaveLength(0);
});

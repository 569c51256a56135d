// The sweeper serves everybody: rows of two tenants and of none are woken by one pass of one process, and each is sent once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newNotification } from '../../src/domain/admission.ts';
import { systemIds } from '../../src/runtime/ids.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService } from '../support/real-service.ts';

let service: RealService;
beforeAll(async () => {
  service = await startRealService();
});
afterAll(() => service.stop());

test('one pass wakes the overdue rows of two tenants and of the platform', async () => {
  const requests = ['tenant-a', 'tenant-b', null].map((tenantId) => freshRequest({ tenantId }));
  for (const request of requests) {
    // As a process leaves it that died between the commit and the wake-up's record.
    await service.servers.store.insert({
      change: {
        ...{ next: newNotification(request), isNextAttempt: false, trail: 'left' },
        wake: { kind: 'after', waitMs: 0, inLog: false },
      },
      content: { request, payloadHash: 'p', recipientHash: 'r', traceparent: null },
      writeToken: systemIds.uuid(),
    });
  }
  expect(await service.running.processor.sweep()).toMatchObject({ woken: 3 });
  for (const { notificationId, tenantId } of requests)
    expect(await service.outcome(notificationId)).toMatchObject({ status: 'Sent', tenantId });
  const sent = service.vendor.ledger.messages.map(({ reference }) => reference);
  expect(new Set(sent)).toEqual(new Set(requests.map(({ notificationId }) => notificationId)));
  expect(sent).toHaveLength(3);
});

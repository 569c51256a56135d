// Builds provider calls for tests: everything has a plain default, a test names only what it is about.
import { parseNotificationId } from '../../../src/domain/notification-id.ts';
import type { ProviderCall } from '../../../src/providers/provider.ts';
import { invariant } from '../../../src/runtime/fault.ts';

/** The n-th notification id of a test. */
export function anId(n = 1) {
  const id = parseNotificationId(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  invariant(id !== null, 'a padded number makes a uuid');
  return id;
}

export function aCall(over: Partial<ProviderCall> = {}): ProviderCall {
  const reference = over.reference ?? anId();
  const cycle = over.cycle ?? 1;
  return {
    reference,
    cycle,
    attempt: 1,
    idempotencyKey: `${reference}:${cycle}`,
    channel: 'email',
    recipient: 'ada@example.com',
    template: null,
    body: { subject: 'Hello', text: 'Hello, Ada', html: null },
    data: {},
    notAfterMs: null,
    origin: {
      tenantId: 'tenant-1',
      orgUnitId: null,
      trigger: null,
      aggregateType: null,
      aggregateId: null,
      correlationId: null,
      causationId: null,
      requestedAtMs: 1_700_000_000_000,
    },
    ...over,
  };
}

export const yes = () => true;

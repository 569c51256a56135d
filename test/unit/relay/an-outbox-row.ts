// A row of an outbox table as a test needs it.
import type { OutboxRow } from '../../../src/relay/outbox-row.ts';

export const ROW_ID = '11111111-1111-4111-8111-111111111111';

export function aPayload(over: Readonly<Record<string, unknown>> = {}): string {
  const body = { subject: 'Hello', text: 'Hello, Ada' };
  return JSON.stringify({ channel: 'email', to: 'ada@example.com', body, ...over });
}

export function anOutboxRow(over: Partial<OutboxRow> = {}): OutboxRow {
  return {
    id: ROW_ID,
    payload: aPayload(),
    aggregateType: 'Order',
    aggregateId: '4711',
    tenantId: 'acme',
    orgUnitId: 'north',
    correlationId: null,
    causationId: 'cause-1',
    occurredAtMs: 1_764_000_000_000,
    ...over,
  };
}

// AC8 on real servers: a reader, a receipt and a retry meet in every order, and each leaves what is its own.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NotificationId } from '../../src/domain/notification-id.ts';
import { invariant } from '../../src/runtime/fault.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';
import { tellCommand, tellWebhook } from '../support/told-later.ts';

let service: RealService;
beforeAll(async () => {
  service = await startRealService({ channels: [testChannel('email', { maxAttempts: 10 })] });
});
afterAll(() => service.stop());

const inApp = { userId: 'ada', title: 'Hello', body: 'Hello, Ada' };
type Event = 'mark-read' | 'bounce' | 'delivered late';
const ORDERS: readonly (readonly Event[])[] = [
  ['mark-read', 'bounce', 'delivered late'],
  ['mark-read', 'delivered late', 'bounce'],
  ['bounce', 'mark-read', 'delivered late'],
  ['bounce', 'delivered late', 'mark-read'],
  ['delivered late', 'mark-read', 'bounce'],
  ['delivered late', 'bounce', 'mark-read'],
];

for (const order of ORDERS)
  test(`AC8 ${order.join(', then ')}: read is read, and delivery follows the receipts alone`, async () => {
    const { id, providerMessageId } = await sent();
    const tell: Readonly<Record<Event, () => Promise<void>>> = {
      'mark-read': () => tellCommand(service, id, { kind: 'mark-read' }),
      bounce: () =>
        tellWebhook(service, id, { verdict: 'failed', errorClass: 'transient', providerMessageId, cycle: 0 }),
      'delivered late': () => tellWebhook(service, id, { verdict: 'delivered', providerMessageId, cycle: 0 }),
    };
    for (const event of order) await tell[event]();
    const row = await service.rowWhere(
      id,
      (seen) => seen['read_at'] !== null && seen['delivered_at'] !== null && seen['status'] === 'Sent',
    );
    // Delivered stands above a passing failure, whichever came first: nothing is owed and nothing waits.
    expect(row).toMatchObject({ in_app_status: 'arrived' });
    const ended = await service.rowWhere(
      id,
      (seen) => seen['wake_at'] === null && seen['claim_token'] === null,
    );
    const current = Number(ended['outcome_seq']);
    expect(await service.outcomeNumbered(id, current)).toMatchObject({ status: 'Sent' });
    const outcomes = await service.outcomesOf(id);
    expect(Math.max(...outcomes.map(({ outcomeSeq }) => outcomeSeq))).toBe(current);
  });

test('AC8 dozens of repeats of a receipt and of a command leave one change each', async () => {
  const { id, providerMessageId } = await sent();
  const eventId = '00000000-0000-4000-8000-000000000001';
  const commandId = '00000000-0000-4000-8000-000000000002';
  await Promise.all(
    Array.from({ length: 46 }, async () => {
      await tellWebhook(service, id, { verdict: 'delivered', providerMessageId, eventId });
      await tellCommand(service, id, { kind: 'mark-read', commandId });
    }),
  );
  const row = await service.rowWhere(id, (seen) => seen['read_at'] !== null && seen['delivered_at'] !== null);
  // All 92 are behind a request of the same key when its outcome is out.
  const trail = String((await settled(id))['trail']);
  expect(trail.split('verdict=delivered')).toHaveLength(2);
  expect(trail.split('mark-read')).toHaveLength(2);
  expect(row).toMatchObject({ status: 'Sent', outcome_seq: 1 });
  expect(await service.outcomesOf(id)).toHaveLength(1);
});

async function sent(): Promise<{ id: NotificationId; providerMessageId: string }> {
  const request = freshRequest({ inApp });
  const id = request.notificationId;
  await service.send(request);
  await service.outcome(id);
  const message = service.vendor.ledger.messages.find(({ reference }) => reference === id);
  invariant(message !== undefined, `${id} has no message`);
  return { id, providerMessageId: message.messageId };
}

/** A last command runs behind everything that was told before. */
async function settled(id: NotificationId): Promise<Record<string, unknown>> {
  await tellCommand(service, id, { kind: 'close' });
  return service.rowWhere(id, (row) => String(row['trail']).includes('close'));
}

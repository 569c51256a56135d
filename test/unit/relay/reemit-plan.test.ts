import { expect, test } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import { notificationIdsOf, planReemit } from '../../../src/relay/reemit-plan.ts';
import { aNotification } from '../../support/a-notification.ts';
import { anOutboxRow, aPayload, ROW_ID } from './an-outbox-row.ts';

const row = {
  id: ROW_ID,
  reason: 'NTF_PROVIDER_INVALID_RECIPIENT (refused)',
  failedAt: '2026-01-01 00:00:00+00',
};
const content = anOutboxRow();
const states = (...known: readonly Notification[]) => new Map(known.map((one) => [one.id as string, one]));
const ended = (status: 'Sent' | 'Failed', id = ROW_ID) =>
  aNotification({ id: id as Notification['id'], status, final: status === 'Sent' ? 'accepted' : 'refused' });

test('a row whose notification failed is redriven', () => {
  expect(planReemit(row, content, states(ended('Failed')))).toMatchObject({
    kind: 'redrive',
    notifications: [{ id: ROW_ID }],
  });
});

test('a row that never became a notification is opened again, also when it is still no request', () => {
  expect(planReemit(row, content, states()).kind).toBe('reopen');
  expect(planReemit(row, anOutboxRow({ payload: '{' }), states()).kind).toBe('reopen');
});

test('what is under way, was sent, or is gone is left alone, with the reason', () => {
  const underWay = aNotification({ id: ROW_ID as Notification['id'], final: null });
  expect(planReemit(row, content, states(underWay))).toMatchObject({ why: 'it is being tried already' });
  expect(planReemit(row, content, states(ended('Sent')))).toMatchObject({ why: 'nothing of it failed' });
  expect(planReemit(row, null, states())).toMatchObject({ why: 'the row is gone' });
});

test('of several recipients only those are redriven that failed', () => {
  const many = anOutboxRow({ payload: aPayload({ to: ['ada@example.com', 'bob@example.com'] }) });
  const [ada = '', bob = ''] = notificationIdsOf(many);
  const step = planReemit(row, many, states(ended('Sent', ada), ended('Failed', bob)));
  expect(step).toMatchObject({ kind: 'redrive', notifications: [{ id: bob }] });
});

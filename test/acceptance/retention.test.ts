// Retention on real servers: what is over shrinks to a tombstone that still knows its request, and start refuses a memory that is too short.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runPin } from '../../src/app/program.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';
import { tellCommand, tellWebhook } from '../support/told-later.ts';
import { until } from '../support/until.ts';

let service: RealService;
beforeAll(async () => {
  service = await startRealService({
    channels: [testChannel('email', { maxAttempts: 1 })],
    variables: { PIN_RETENTION_FINAL: '1s', PIN_RETENTION_UNREAD: '1h' },
  });
});
afterAll(() => service.stop());

const contentOf = async (id: string) =>
  (await service.query('select * from notification_contents where id = $1', [id]))[0];

/** Purges until the row has no request any more. */
async function purged(id: string): Promise<Record<string, unknown>> {
  await until('the purge', async () => {
    await service.running.processor.purge();
    return (await contentOf(id))?.['request'] === null ? true : null;
  });
  return (await service.row(id)) ?? {};
}

async function ended(over: Partial<NotificationRequest> = {}): Promise<NotificationRequest> {
  const request = freshRequest(over);
  await service.send(request);
  await service.outcome(request.notificationId);
  return request;
}

const messagesOf = (id: string) => service.vendor.ledger.messages.filter(({ reference }) => reference === id);

describe('a purged notification', () => {
  test('keeps id, hash and end, and nothing about a person', async () => {
    const { notificationId: id, recipient } = await ended();
    const before = await contentOf(id);
    const row = await purged(id);
    expect(row).toMatchObject({
      ...{ status: 'Sent', final: 'accepted', outcome_seq: 1, published_seq: 1, outcome: null, evidence: [] },
      ...{ provider_message_id: null, wake_at: null },
    });
    const content = await contentOf(id);
    expect(content).toMatchObject({
      payload_hash: before?.['payload_hash'],
      recipient_hash: '',
      request: null,
    });
    expect(content?.['purged_at']).not.toBeNull();
    expect(JSON.stringify([row, content])).not.toContain(recipient);
  });

  test('takes a repeat as a repeat, another payload as a dead letter, and is written by nobody', async () => {
    const request = await ended();
    const id = request.notificationId;
    const row = await purged(id);
    await service.send(request);
    await tellWebhook(service, id, { verdict: 'failed', errorClass: 'refused', cycle: 0 });
    await tellCommand(service, id, { kind: 'redrive', tenantId: request.tenantId });
    const conflict = { ...request, recipient: 'eve@example.com' };
    await service.send(conflict);
    const letters = await until('the dead letter', () => {
      const own = service
        .deadLetters()
        .filter(({ key }) => new TextDecoder().decode(key ?? undefined) === id);
      return own.length > 0 ? own : null;
    });
    expect(letters).toHaveLength(1);
    expect(new TextDecoder().decode(letters[0]?.headers['pin-dlq-reason'])).toBe('payload-conflict');
    expect(await service.row(id)).toEqual(row);
    expect(messagesOf(id)).toHaveLength(1);
    expect(await service.outcomesOf(id)).toHaveLength(1);
  });

  test('is told by pin show', async () => {
    const { notificationId: id } = await ended();
    await purged(id);
    const printed: string[] = [];
    const stdout = { write: (text: string) => printed.push(text) > 0, isTerminal: false };
    expect(await runPin(['show', id], { ...service.environment, stdout })).toBe(0);
    const story = printed.join('');
    expect(story).toContain('Its retention was over');
    expect(story).toContain('is purged');
  });
});

test('a purge leaves what is unread, what is not final and what is held', async () => {
  const inApp = { userId: 'ada', title: 't', body: 'b' };
  const unread = await ended({ inApp });
  const waiting = freshRequest({ notBeforeMs: Date.UTC(2090, 0, 1) });
  const held = freshRequest({ channel: 'sms' });
  await service.send(waiting);
  await service.send(held);
  await service.rowWhere(waiting.notificationId, (row) => row['wake_at'] !== null);
  await service.rowWhere(held.notificationId, (row) => row['hold_reason'] !== null);
  const other = await ended();
  await purged(other.notificationId);
  for (const { notificationId } of [unread, waiting, held])
    expect((await contentOf(notificationId))?.['request']).not.toBeNull();
  await tellCommand(service, unread.notificationId, { kind: 'mark-read', tenantId: unread.tenantId });
  await service.rowWhere(unread.notificationId, (row) => row['read_at'] !== null);
  expect(await purged(unread.notificationId)).toMatchObject({ in_app_status: 'none', in_app_user: null });
});

test('start refuses tombstones that a topic outlives, with a sentence and exit code 78', async () => {
  const said: string[] = [];
  const stderr = { write: (text: string) => said.push(text) > 0, isTerminal: false };
  const variables = { ...service.environment.variables, PIN_RETENTION_TOMBSTONES: '1d' };
  expect(await runPin(['run'], { ...service.environment, variables, stderr })).toBe(78);
  expect(said.join('')).toContain('PIN_RETENTION_TOMBSTONES (1d) is shorter than');
});

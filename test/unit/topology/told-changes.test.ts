// What the world outside hears of a notification's walk: events of the feed after each commit, and lines that say from what to what.
import { expect, test } from 'vitest';
import type { NotificationEvent } from '../../../src/domain/notification-event.ts';
import type { LogFields } from '../../../src/runtime/logger.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { localFeed } from '../../../src/state/notification-feed.ts';
import { notificationCommandRecord } from '../../../src/streams/notification-command.ts';
import { aCommand, aRequest } from '../../support/a-notification.ts';
import { drive, RETRIED, settled, stored } from './driving.ts';

const inApp = { userId: 'ada', title: 'Hello', body: 'Hello, Ada' };

async function overheard(options: Parameters<typeof drive>[0] = {}) {
  const events: NotificationEvent[] = [];
  const feed = localFeed({ logger: silentLogger });
  feed.subscribe((event) => void events.push(event));
  const lines: { event: string; fields: LogFields }[] = [];
  const note = (event: string, fields: LogFields) => void lines.push({ event, fields });
  const driver = await drive({
    ...options,
    around: (ports) => ({ ...ports, feed, logger: { debug: note, info: note, warn: note, error: note } }),
  });
  return { driver, events, lines };
}

test('each committed change of status is told once, with the version that says it', async () => {
  const { driver, events } = await overheard({ script: { steps: [RETRIED, { kind: 'accept' }] } });
  const request = aRequest({ inApp });
  await driver.request(request);
  await driver.time.advance(40_000);
  const { notificationId: id, tenantId } = request;
  const row = await stored(driver, id);
  expect(events).toMatchObject([
    { kind: 'inbox-arrived', id, tenantId, userId: 'ada', version: 1 },
    { kind: 'status-changed', id, tenantId, from: 'Pending', to: 'Failed', version: 2 },
    { kind: 'status-changed', id, tenantId, from: 'Failed', to: 'Sent', version: row.version },
  ]);
});

test('reading a copy is told to its user', async () => {
  const { driver, events } = await overheard();
  const request = aRequest({ inApp });
  await driver.request(request);
  const command = aCommand({ notificationId: request.notificationId, kind: 'mark-read' });
  const producer = await driver.log.producer();
  await settled(driver, producer.send(notificationCommandRecord(driver.topics, driver.codec, command, null)));
  expect(events.map(({ kind }) => kind)).toEqual(['inbox-arrived', 'status-changed', 'inbox-read']);
});

test('lines say from what to what, in which version, and what caused it', async () => {
  const { driver, lines } = await overheard({ script: { steps: [RETRIED, { kind: 'accept' }] } });
  await driver.request(aRequest({ correlationId: 'correlation-1', causationId: 'causation-1' }));
  await driver.time.advance(40_000);
  const cause = { correlation_id: 'correlation-1', causation_id: 'causation-1' };
  const fieldsOf = (event: string) => lines.find((line) => line.event === event)?.fields;
  expect(fieldsOf('notification.requested')).toMatchObject({ version: 1, ...cause });
  expect(fieldsOf('notification.attempted')).toMatchObject({ attempt: 1, version: 1, ...cause });
  expect(fieldsOf('notification.retry-scheduled')).toMatchObject({
    ...{ status_from: 'Pending', status_to: 'Failed', version: 2 },
    ...cause,
  });
  const { version } = await stored(driver, aRequest().notificationId);
  expect(fieldsOf('notification.sent')).toMatchObject({
    ...{ status_from: 'Failed', status_to: 'Sent', version },
    ...cause,
  });
});

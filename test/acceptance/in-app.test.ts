// What a person sees in the app, on real servers: the inbox of the table, and the news of it over Redis.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { feedOfConfig, inboxOfConfig } from '../../src/app/connections.ts';
import { runPin } from '../../src/app/program.ts';
import { defaultChannelConfig } from '../../src/domain/channel.ts';
import type { NotificationEvent } from '../../src/domain/notification-event.ts';
import { silentLogger } from '../../src/runtime/logger.ts';
import { noMetrics } from '../../src/runtime/metrics.ts';
import type { Inbox } from '../../src/state/inbox.ts';
import type { NotificationFeed } from '../../src/state/notification-feed.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';
import { stackAddresses } from '../support/stack-servers.ts';
import { tellCommand } from '../support/told-later.ts';
import { until } from '../support/until.ts';

const { redisUrl } = stackAddresses();

let service: RealService;
let inbox: Inbox;
/** Of another process, as a gateway would have it. */
let feed: NotificationFeed;
const heard: NotificationEvent[] = [];

beforeAll(async () => {
  service = await startRealService({
    channels: [testChannel('email'), defaultChannelConfig('in-app', 'inbox')],
    variables: {
      PIN_PROVIDER_INBOX_ADAPTER: 'in-app',
      ...(redisUrl === null ? {} : { PIN_REDIS_URL: redisUrl }),
    },
  });
  inbox = inboxOfConfig(service.config, silentLogger);
  const watched = { logger: silentLogger, metrics: noMetrics };
  feed = feedOfConfig(service.environment, service.config, watched);
  feed.subscribe((event) => void heard.push(event));
});
afterAll(async () => {
  await feed.close();
  await inbox.close();
  await service.stop();
});

const newsOf = (id: string) => heard.filter((event) => event.id === id);
const kindsOf = (id: string) => newsOf(id).map(({ kind }) => kind);

test('a copy is in its user’s inbox, is counted unread, and reading it is seen there', async () => {
  const inApp = { userId: 'ada', title: 'Hello', body: 'Hello, Ada' };
  const request = freshRequest({ inApp });
  const { notificationId: id, tenantId } = request;
  const owner = { tenantId, userId: 'ada' };
  await service.send(request);
  await service.outcome(id);
  expect(await inbox.page({ owner, after: null, limit: 10, unreadOnly: true })).toMatchObject([
    { id, channel: 'email', title: 'Hello', body: 'Hello, Ada', readAtMs: null },
  ]);
  expect(await inbox.unread(owner)).toEqual({ count: 1, isMore: false });
  expect(await inbox.unread({ ...owner, userId: 'eve' })).toEqual({ count: 0, isMore: false });
  expect(await inbox.unread({ ...owner, tenantId: 'another' })).toEqual({ count: 0, isMore: false });
  await tellCommand(service, id, { kind: 'mark-read', tenantId });
  await service.rowWhere(id, (row) => row['read_at'] !== null);
  expect(await inbox.unread(owner)).toEqual({ count: 0, isMore: false });
  const [item] = await inbox.page({ owner, after: null, limit: 10, unreadOnly: false });
  expect(item?.id).toBe(id);
  expect(item?.readAtMs).not.toBeNull();
});

test('a notification whose channel is in-app ends Sent in the inbox, with an outcome and without a vendor', async () => {
  const calls = service.vendor.ledger.messages.length;
  const request = freshRequest({ channel: 'in-app', recipient: 'bob' });
  await service.send(request);
  expect(await service.outcome(request.notificationId)).toMatchObject({
    ...{ status: 'Sent', reason: 'accepted', channel: 'in-app', providerKey: 'inbox' },
  });
  const owner = { tenantId: request.tenantId, userId: 'bob' };
  expect(await inbox.page({ owner, after: null, limit: 10, unreadOnly: true })).toMatchObject([
    { id: request.notificationId, channel: 'in-app', title: request.body?.subject },
  ]);
  expect(service.vendor.ledger.messages).toHaveLength(calls);
});

test('pin inbox list says what is there, and not what it says', async () => {
  const request = freshRequest({ channel: 'in-app', recipient: 'cid' });
  await service.send(request);
  await service.outcome(request.notificationId);
  const printed: string[] = [];
  const stdout = { write: (text: string) => printed.push(text) > 0, isTerminal: false };
  const tenant = request.tenantId === null ? [] : ['--tenant', request.tenantId];
  const args = ['inbox', 'list', 'cid', ...tenant, '--unread', '--json'];
  expect(await runPin(args, { ...service.environment, stdout })).toBe(0);
  expect(JSON.parse(printed.join(''))).toMatchObject({ id: request.notificationId, readAt: null });
  expect(printed.join('')).not.toContain(request.body?.text);
});

test.runIf(redisUrl !== null)('another process hears of every committed change over Redis', async () => {
  const request = freshRequest({ inApp: { userId: 'ada', title: 't', body: 'b' } });
  const { notificationId: id, tenantId } = request;
  service.vendor.plan(id, [{ kind: 'error', status: 503, code: 'overloaded', retriable: true }]);
  await service.send(request);
  await service.outcome(id);
  await tellCommand(service, id, { kind: 'mark-read', tenantId });
  await until(
    () => kindsOf(id).join(),
    () => (kindsOf(id).includes('inbox-read') ? true : null),
  );
  const row = await service.row(id);
  expect(newsOf(id)).toMatchObject([
    { kind: 'inbox-arrived', userId: 'ada', tenantId, version: 1 },
    { kind: 'status-changed', from: 'Pending', to: 'Failed', tenantId },
    { kind: 'status-changed', from: 'Failed', to: 'Sent', tenantId },
    { kind: 'inbox-read', userId: 'ada', version: row?.['version'] },
  ]);
});

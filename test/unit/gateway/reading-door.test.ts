import { afterEach, describe, expect, it } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { type HttpServer, startHttpServer } from '../../../src/gateway/http-server.ts';
import { readingDoor, type SeenNotification } from '../../../src/gateway/reading-door.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { noMetrics } from '../../../src/runtime/metrics.ts';
import { anId } from '../../support/a-notification.ts';
import { authenticate, TOKENS } from './a-door.ts';

const seen: SeenNotification = {
  tenantId: 'tenant-1',
  facts: { status: 'Sent' },
  timeline: { lines: ['sent'] },
};
const known = new Map([
  [anId(1), seen],
  [anId(2), { ...seen, tenantId: null }],
]);

let server: HttpServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function get(path: string, token: string) {
  const find = (id: NotificationId) => Promise.resolve(known.get(id) ?? null);
  server ??= await startHttpServer({ logger: silentLogger }, { host: '127.0.0.1', port: 0 }, [
    readingDoor({ authenticate, metrics: noMetrics, find }),
  ]);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${server.url}/v1/notifications/${path}`, { headers });
  return [response.status, await response.json()] as const;
}

describe('GET /v1/notifications/{id}', () => {
  it('tells a reader what is known of its own tenant’s notification, and its timeline', async () => {
    expect(await get(anId(1), TOKENS.reports.token)).toEqual([200, { status: 'Sent' }]);
    expect(await get(`${anId(1)}/timeline`, TOKENS.orders.token)).toEqual([200, { lines: ['sent'] }]);
    expect(await get(anId(2), TOKENS.platform.token)).toEqual([200, { status: 'Sent' }]);
  });

  it('knows nothing of another tenant’s, of the platform’s, of none and of no uuid', async () => {
    for (const [id, token] of [
      [anId(1), TOKENS.platform.token],
      [anId(2), TOKENS.orders.token],
      [anId(3), TOKENS.orders.token],
      ['nonsense', TOKENS.orders.token],
    ] as const) {
      expect(await get(id, token)).toMatchObject([404, { code: 'PIN_NOT_FOUND' }]);
    }
    expect(await get(anId(1), 'pin_nobody-has-this-token')).toMatchObject([
      401,
      { code: 'PIN_UNAUTHORIZED' },
    ]);
  });
});

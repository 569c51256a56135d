import { afterEach, describe, expect, it } from 'vitest';
import { type HealthSource, healthRoutes } from '../../../src/gateway/health.ts';
import { type HttpServer, type Routes, startHttpServer } from '../../../src/gateway/http-server.ts';
import { Fault } from '../../../src/runtime/fault.ts';
import type { LogFields, Logger } from '../../../src/runtime/logger.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { prometheusMetrics } from '../../../src/runtime/prometheus-metrics.ts';

const healthy: HealthSource = {
  live: () => ({ ok: true, reason: null }),
  ready: () => ({ ok: true, reasons: [], detail: { state: 'running', tasks: [0, 1] } }),
};
const sick: HealthSource = {
  live: () => ({ ok: false, reason: 'no progress for 130 s' }),
  ready: () => ({
    ok: false,
    reasons: ['postgres is away', 'registry is away'],
    detail: { state: 'running' },
  }),
};
const metrics = prometheusMetrics({ version: '1', node: 'v20' });
const loopback = { host: '127.0.0.1', port: 0 };

let server: HttpServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function get(
  path: string,
  health: HealthSource,
  more: readonly Routes[] = [],
  logger: Logger = silentLogger,
) {
  server = await startHttpServer({ logger }, loopback, [healthRoutes({ health, metrics }), ...more]);
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

describe('the health routes', () => {
  it('say live and ready with state and tasks', async () => {
    expect(await get('/livez', healthy)).toMatchObject({ status: 200, text: '{"status":"live"}' });
    await server?.close();
    const ready = await get('/readyz', healthy);
    expect([ready.status, JSON.parse(ready.text)]).toEqual([
      200,
      { status: 'ready', state: 'running', tasks: [0, 1] },
    ]);
  });

  it('name each outage as a problem while not ready', async () => {
    const answer = await get('/readyz', sick);
    expect(answer).toMatchObject({ status: 503, type: 'application/problem+json; charset=utf-8' });
    expect(JSON.parse(answer.text)).toEqual({
      type: 'about:blank',
      title: 'Not ready',
      status: 503,
      code: 'PIN_NOT_READY',
      detail: 'postgres is away; registry is away',
      reasons: ['postgres is away', 'registry is away'],
      state: 'running',
    });
  });

  it('say why the process is not live', async () => {
    const answer = await get('/livez', sick);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'PIN_NOT_LIVE', detail: 'no progress for 130 s' });
  });

  it('render the metrics for a scrape', async () => {
    const answer = await get('/metrics', healthy);
    expect(answer.type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.text).toContain('pin_build_info{version="1",node="v20"} 1');
  });
});

describe('the HTTP server', () => {
  it('answers an unknown path with a problem', async () => {
    const answer = await get('/nothing', healthy);
    expect(JSON.parse(answer.text)).toEqual({
      type: 'about:blank',
      title: 'There is nothing here',
      status: 404,
      code: 'PIN_NOT_FOUND',
    });
  });

  it('logs an unexpected error and tells the client nothing of it', async () => {
    const lines: [string, LogFields | undefined][] = [];
    const logger: Logger = { ...silentLogger, error: (event, fields) => void lines.push([event, fields]) };
    const broken: Routes = (app) => {
      app.get('/broken', () => Promise.reject(new TypeError('secret detail')));
    };
    const answer = await get('/broken', healthy, [broken], logger);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(lines).toEqual([['http.failed', { route: '/broken', error: 'secret detail' }]]);
  });

  it('answers an outage of ours with 503 and its code', async () => {
    const away: Routes = (app) => {
      app.get('/away', () => Promise.reject(new Fault('STATE_UNAVAILABLE', 'no', { retriable: true })));
    };
    const answer = await get('/away', healthy, [away]);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 503, code: 'PIN_STATE_UNAVAILABLE' });
  });

  it('answers unreadable JSON with a problem of the client', async () => {
    const post: Routes = (app) => {
      app.post('/in', () => Promise.resolve({}));
    };
    await get('/livez', healthy, [post]);
    const response = await fetch(`${server?.url}/in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'PIN_BAD_REQUEST' }]);
  });

  it('says which address is taken', async () => {
    await get('/livez', healthy);
    const taken = { host: '127.0.0.1', port: Number(new URL(server?.url ?? '').port) };
    await expect(startHttpServer({ logger: silentLogger }, taken, [])).rejects.toMatchObject({
      code: 'HTTP_ADDRESS_TAKEN',
      retriable: false,
    });
  });
});

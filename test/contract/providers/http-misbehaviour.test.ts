// Each way in which a vendor of the `http` protocol misbehaves, and what the call then says.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { VendorAnswer } from '../../../src/lab/vendor-answer.ts';
import { aCall, anId, yes } from '../../unit/providers/a-call.ts';
import { type HttpWorld, type HttpWorldSettings, openHttpWorld } from './http-world.ts';

const opened: HttpWorld[] = [];
const open = async (settings: HttpWorldSettings = {}) => {
  const world = await openHttpWorld(settings);
  opened.push(world);
  return world;
};
afterEach(async () => {
  for (const world of opened.splice(0)) await world.close();
});

/** Takes connections and never says a word, so that a TLS handshake hangs. */
async function openSilentServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connected: once(server, 'connection'),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const sent = { kind: 'unknown', phase: 'sent' };
const answerLost = { kind: 'unknown', phase: 'answer-lost' };
const misconfigured = { kind: 'misconfigured' };

describe('http provider against a misbehaving vendor', () => {
  test.each<[string, VendorAnswer, object]>([
    ['a 502 page', { kind: 'page', status: 502 }, { ...sent, providerCode: 'http_502' }],
    ['a 504 page after it delivered', { kind: 'page', status: 504, delivers: true }, sent],
    ['a 500 page', { kind: 'page', status: 500 }, sent],
    ['a 503 page with Retry-After', { kind: 'page', status: 503, retryAfter: '5' }, sent],
    ['a 408 page', { kind: 'page', status: 408 }, sent],
    ['a 401 page', { kind: 'page', status: 401 }, misconfigured],
    ['a 403 page', { kind: 'page', status: 403 }, misconfigured],
    ['a 404 page', { kind: 'page', status: 404 }, misconfigured],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:9/' }, misconfigured],
    [
      'a 429 page',
      { kind: 'page', status: 429, retryAfter: '90' },
      { kind: 'rate-limited', retryAfterMs: 90_000, scope: 'message' },
    ],
    ['a success that is no JSON', { kind: 'page', status: 200, text: '<html>' }, answerLost],
    ['a success that is empty', { kind: 'page', status: 202, text: '' }, answerLost],
    ['a success without an id', { kind: 'page', status: 200, text: '{"ok":true}' }, answerLost],
    ['a connection closed before the answer', { kind: 'cut', when: 'before-answer' }, sent],
    ['a connection reset before the answer', { kind: 'cut', when: 'before-answer', how: 'reset' }, sent],
    ['a connection closed after it delivered', { kind: 'cut', when: 'before-answer', delivers: true }, sent],
    ['a connection cut in the middle of the answer', { kind: 'cut', when: 'mid-answer' }, answerLost],
    ['a connection reset in the middle', { kind: 'cut', when: 'mid-answer', how: 'reset' }, answerLost],
    ['a connection cut before it read', { kind: 'cut', when: 'before-reading' }, { kind: 'unknown' }],
    ['an answer longer than 64 KiB', { kind: 'huge', bytes: 70_000 }, answerLost],
    ['an answer a little shorter than 64 KiB', { kind: 'huge', bytes: 60_000 }, { kind: 'accepted' }],
  ])('%s', async (_, answer, expected) => {
    const { vendor, provider } = await open();
    vendor.plan(anId(), [answer]);

    expect(await provider.send(aCall(), yes)).toMatchObject(expected);
    expect(vendor.ledger.totals.calls).toBe(1);
  });

  test('an answer that drips beyond the deadline is lost, and the deadline is the whole call’s', async () => {
    const { vendor, provider, time } = await open({ provider: { deadlineMs: 3_000 } });
    vendor.plan(anId(), [{ kind: 'drip', everyMs: 3_600_000 }]);
    const call = provider.send(aCall(), yes);
    await vendor.waitFor((ledger) => ledger.totals.delivered === 1);

    await time.advance(3_000);

    expect((await call).kind).toBe('unknown');
    await vendor.waitFor((ledger) => ledger.totals.open === 0);
  });

  test('at the deadline the connection is given up, so the vendor sees the caller go', async () => {
    const { vendor, provider, time } = await open();
    vendor.plan(anId(), [{ kind: 'hang' }]);
    const call = provider.send(aCall(), yes);
    await vendor.waitFor((ledger) => ledger.totals.open === 1);

    await time.advance(15_000);

    expect(await call).toEqual({ ...sent, providerCode: 'deadline' });
    await vendor.waitFor((ledger) => ledger.totals.open === 0);
  });

  test('a second call under a key that is still being answered is certain and delivers nothing', async () => {
    const { vendor, provider, time } = await open();
    vendor.plan(anId(), [{ kind: 'hang', delivers: true }]);
    const first = provider.send(aCall(), yes);
    await vendor.waitFor((ledger) => ledger.totals.open === 1);

    expect(await provider.send(aCall({ attempt: 2 }), yes)).toEqual({
      kind: 'transient',
      providerCode: 'in_progress',
    });

    await time.advance(15_000);
    await first;
    expect(vendor.ledger.messages).toHaveLength(1);
  });

  test('nobody listening is certain', async () => {
    const { vendor, provider } = await open();
    await vendor.close();

    expect(await provider.send(aCall(), yes)).toEqual({ kind: 'transient', providerCode: 'ECONNREFUSED' });
  });

  test('a server that cannot speak TLS is certain, and permission is never asked', async () => {
    const { vendor, provider } = await open();
    const world = await open({ provider: { url: vendor.url.replace('http:', 'https:') } });
    let asked = 0;
    const answer = await world.provider.send(aCall(), () => {
      asked += 1;
      return true;
    });

    expect([answer.kind, asked, vendor.ledger.totals.calls]).toEqual(['transient', 0, 0]);
    await provider.close();
  });

  test('a call that is still connecting at its deadline has not left, and permission is never asked', async () => {
    const silent = await openSilentServer();
    const { provider, time } = await open({ provider: { url: `https://127.0.0.1:${silent.port}/` } });
    let asked = 0;
    const call = provider.send(aCall(), () => {
      asked += 1;
      return true;
    });
    await silent.connected;

    await time.advance(15_000);

    expect([await call, asked]).toEqual([{ kind: 'transient', providerCode: 'deadline' }, 0]);
    silent.close();
  });

  test('more calls than connections all arrive, each once', async () => {
    const { vendor, provider } = await open({ provider: { maxConcurrency: 1 } });

    const calls = Array.from({ length: 40 }, (_, n) => provider.send(aCall({ reference: anId(n) }), yes));

    expect((await Promise.all(calls)).every((answer) => answer.kind === 'accepted')).toBe(true);
    expect(new Set(vendor.ledger.calls.map((call) => call.reference)).size).toBe(40);
    expect(vendor.ledger.totals.calls).toBe(40);
  });

  test('a call after close is certain', async () => {
    const { provider } = await open();
    await provider.close();

    expect(await provider.send(aCall(), yes)).toMatchObject({ kind: 'transient' });
  });

  test.each<[string, VendorAnswer]>([
    ['a page', { kind: 'page', status: 404 }],
    ['an error', { kind: 'error', status: 503, code: 'busy', retriable: true }],
    ['a cut', { kind: 'cut', when: 'before-answer' }],
    ['a success without an id', { kind: 'page', status: 200, text: '{}' }],
  ])('a lookup that is answered by %s tells nothing', async (_, answer) => {
    const { vendor, provider } = await open({ capability: 'lookup' });
    vendor.plan(`lookup:${anId()}`, [answer]);

    expect((await provider.lookUp(anId(), 1)).kind).toBe('unavailable');
    expect((await provider.lookUp(anId(), 1)).kind).toBe('absent');
  });

  test('a lookup has a deadline too', async () => {
    const { vendor, provider, time } = await open({ capability: 'lookup' });
    vendor.plan(`lookup:${anId()}`, [{ kind: 'hang' }]);
    const lookup = provider.lookUp(anId(), 1);
    await vendor.waitFor((ledger) => ledger.totals.lookups === 1);

    await time.advance(15_000);

    expect((await lookup).kind).toBe('unavailable');
  });
});

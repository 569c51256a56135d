import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type HttpVendor, type HttpVendorSettings, startHttpVendor } from '../../../src/lab/http-vendor.ts';
import { runLab } from '../../../src/lab/run-lab.ts';
import { readLedgerFile } from '../../../src/lab/vendor-ledger.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { systemTimers } from '../../../src/runtime/timers.ts';
import { openHttpWorld } from '../../contract/providers/http-world.ts';
import { aCall, anId, yes } from '../providers/a-call.ts';

const deps = { clock: systemClock, timers: systemTimers };
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
const start = async (settings: HttpVendorSettings = {}) => {
  const vendor = await startHttpVendor(deps, settings);
  opened.push(vendor);
  return vendor;
};
const post = async (url: string, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(value), headers });
  return { status: response.status, value: (await response.json()) as unknown };
};
const ask = (vendor: HttpVendor, attempt = 1, key = `${anId()}:1`) =>
  post(
    vendor.url,
    { reference: anId(), cycle: 1, attempt, channel: 'sms', recipient: '+1', content: {} },
    { 'idempotency-key': key },
  );

describe('the vendor of the http protocol', () => {
  test('delivers, and gives the same id for the same key without a second delivery', async () => {
    const vendor = await start();

    expect(await ask(vendor)).toEqual({ status: 200, value: { id: 'message-1' } });
    expect(await ask(vendor, 2)).toEqual({ status: 200, value: { id: 'message-1' } });

    expect(vendor.ledger.calls.map((call) => [call.attempt, call.outcome, call.messageId])).toEqual([
      [1, 'delivered', 'message-1'],
      [2, 'repeat-of', 'message-1'],
    ]);
    expect(vendor.ledger.messages).toHaveLength(1);
  });

  test('with capability none it delivers every call', async () => {
    const vendor = await start({ capability: 'none' });
    await ask(vendor);
    await ask(vendor, 2);

    expect(vendor.ledger.messages.map((message) => message.messageId)).toEqual(['message-1', 'message-2']);
  });

  test('is ordered and read from another process over HTTP', async () => {
    const vendor = await start();
    const busy = { kind: 'error', status: 503, code: 'busy', retriable: true, retryAfter: '3' };
    await post(`${vendor.controlUrl}plan`, { reference: anId(), answers: [busy] });
    await post(`${vendor.controlUrl}rule`, {
      rules: [{ attempt: 2, answer: { kind: 'page', status: 502, text: '{}' } }],
    });

    expect((await ask(vendor)).status).toBe(503);
    expect((await ask(vendor, 2)).status).toBe(502);
    expect((await ask(vendor, 3)).status).toBe(200);

    const response = await fetch(`${vendor.controlUrl}ledger?since=1`);
    expect(await response.json()).toMatchObject({
      totals: { calls: 3, delivered: 1, rejected: 2 },
      calls: [
        { attempt: 2, outcome: 'rejected' },
        { attempt: 3, outcome: 'delivered' },
      ],
      messages: [{ messageId: 'message-1', recipient: '+1' }],
      next: 3,
    });
  });

  test('says what is wrong with an order, and forgets everything on reset', async () => {
    const vendor = await start();
    const { controlUrl } = vendor;

    expect((await post(`${controlUrl}plan`, { reference: 'r', answers: [{ kind: 'page' }] })).status).toBe(
      400,
    );
    expect((await post(`${controlUrl}plan`, { answers: [] })).status).toBe(400);
    expect((await post(`${controlUrl}rule`, { rules: [{ answer: { kind: 'x' } }] })).status).toBe(400);
    expect((await post(`${controlUrl}rule`, {})).status).toBe(400);
    expect((await post(`${controlUrl}nothing`, {})).status).toBe(404);
    await ask(vendor);
    await post(`${controlUrl}reset`, {});
    expect(vendor.ledger.totals.calls).toBe(0);
    expect((await ask(vendor)).value).toEqual({ id: 'message-2' });
  });

  test('a request that it cannot read is told so and is no call', async () => {
    const vendor = await start();

    expect((await post(vendor.url, { reference: 1 })).status).toBe(400);
    expect((await post(`${vendor.url}x`, {})).status).toBe(404);
    expect(vendor.ledger.totals.calls).toBe(0);
  });

  test('takes signed requests and refuses those signed by another', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    for (const [own, expected] of [
      [secret, 'accepted'],
      ['whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'misconfigured'],
      [null, 'misconfigured'],
    ] as const) {
      const world = await openHttpWorld({ vendor: { secret }, provider: { secret: own } });
      opened.push(world);
      expect((await world.provider.send(aCall(), yes)).kind).toBe(expected);
    }
  });

  test('a message is not visible to lookups before its time', async () => {
    let nowMs = systemClock.nowMs();
    const vendor = await startHttpVendor(
      { clock: { ...systemClock, nowMs: () => nowMs }, timers: systemTimers },
      { capability: 'lookup', visibleAfterMs: 5_000 },
    );
    opened.push(vendor);
    await ask(vendor);
    const look = async () => (await fetch(`${vendor.url}/${anId()}?cycle=1`)).status;

    expect(await look()).toBe(404);
    nowMs += 5_000;
    expect(await look()).toBe(200);
  });

  test('answers as late as it is told, and delivers at once', async () => {
    const vendor = await start();
    vendor.plan(anId(), [{ kind: 'accept', latencyMs: 30 }]);
    const startedMs = systemClock.monotonicMs();
    const answer = ask(vendor);
    await vendor.waitFor((ledger) => ledger.messages.length === 1);

    await answer;

    expect(systemClock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(29);
  });

  test('writes its ledger to a file before it answers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pin-vendor-'));
    const ledgerFile = join(folder, 'ledger.jsonl');
    const vendor = await start({ ledgerFile });
    await ask(vendor);

    expect(readLedgerFile(ledgerFile)).toEqual(vendor.ledger.calls);
    rmSync(folder, { recursive: true });
  });

  test('a taken port is a Fault', async () => {
    const vendor = await start();

    await expect(start({ port: Number(new URL(vendor.url).port) })).rejects.toMatchObject({
      code: 'PIN_LAB_LISTEN',
    });
  });
});

test('the lab says where it is, and ends when it is stopped', async () => {
  const lines: string[] = [];
  const stop = new AbortController();
  let isReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const say = (line: string) => {
    lines.push(line);
    if (line.includes('reset')) isReady();
  };
  const lab = runLab({ ...deps, say }, {}, stop.signal);
  await ready;

  const url = /http:\S+\/messages/.exec(lines.join('\n'))?.[0] ?? '';
  expect(
    (await post(url, { reference: anId(), cycle: 1, attempt: 1, channel: 'sms', recipient: '+1' })).status,
  ).toBe(200);
  stop.abort();
  await lab;

  expect(lines.at(-1)).toBe('vendor stopped: 1 calls, 1 messages delivered');
});

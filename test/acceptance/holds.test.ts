// A channel that may not send holds its notifications, uses none of their attempts, and releases them when the cause ends, without a
// restart. On real Kafka and Postgres; judged by the table, the vendor's ledger and the topic.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Channel, ChannelConfig } from '../../src/domain/channel.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { type HttpVendor, startHttpVendor } from '../../src/lab/http-vendor.ts';
import type { VendorAnswer } from '../../src/lab/vendor-answer.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemTimers } from '../../src/runtime/timers.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';
import { until } from '../support/until.ts';

/** A gate stays closed for 30 s, and its waiters come back spread over some more. */
const GATE_LIMIT_MS = 90_000;
const RELEASED_WITHIN_MS = 10_000;
/** Longer than a change of configuration takes to be seen. */
const SLOW_BACKOFF = { kind: 'fixed', baseMs: 8_000, capMs: 8_000, jitter: 0 } as const;
const GATE_CLOSED_MS = 30_000;
const PROBE_TAKES_MS = 3_000;
const UNAUTHORIZED: VendorAnswer = { kind: 'error', status: 401, code: 'unauthorized', retriable: false };

vi.setConfig({ testTimeout: GATE_LIMIT_MS + 30_000 });

let service: RealService;
let gated: HttpVendor;
beforeAll(async () => {
  gated = await startHttpVendor({ clock: systemClock, timers: systemTimers });
  service = await startRealService({
    channels: [
      testChannel('email'),
      testChannel('sms', { isEnabled: false }),
      testChannel('push', { providerKey: 'bare' }),
      testChannel('viber', { providerKey: null }),
      testChannel('whatsapp', { backoff: SLOW_BACKOFF }),
      testChannel('max', { isEnabled: false }),
      testChannel('telegram', { providerKey: 'gated' }),
    ],
    variables: {
      PIN_PROVIDER_BARE_ADAPTER: 'stub',
      PIN_PROVIDER_GATED_ADAPTER: 'http',
      PIN_PROVIDER_GATED_URL: gated.url,
    },
  });
});
afterAll(async () => {
  await service.stop();
  await gated.close();
});

describe.concurrent('a provider’s gate', () => {
  test('closes for everybody on a 401, gives the attempt back, lets one probe through, and opens for all', async () => {
    gated.rule(() => UNAUTHORIZED);
    const first = requestFor('telegram');
    const others = Array.from({ length: 5 }, () => requestFor('telegram'));
    await service.send(first);
    await until('the gate to close', () => (gateState() === 'closed' ? true : null));
    await Promise.all(others.map((request) => service.send(request)));
    for (const { notificationId } of [first, ...others])
      expect(
        await service.rowWhere(
          notificationId,
          (row) => row['claim_token'] === null && row['wake_at'] !== null,
        ),
      ).toMatchObject({ status: 'Pending', final: null, attempts: 0, hold_reason: null });
    expect(gated.ledger.calls).toHaveLength(1);
    gated.rule(() => ({ kind: 'accept', latencyMs: isProbe() ? PROBE_TAKES_MS : 0 }));
    for (const { notificationId } of [first, ...others])
      expect(await service.outcome(notificationId, 1, GATE_LIMIT_MS)).toMatchObject({
        ...{ status: 'Sent', attempts: 1, providerKey: 'gated' },
      });
    const [refused, probe, ...rest] = gated.ledger.calls.map(({ atMs }) => atMs);
    expect(rest).toHaveLength(others.length);
    expect((probe ?? 0) - (refused ?? 0)).toBeGreaterThanOrEqual(GATE_CLOSED_MS);
    expect(Math.min(...rest) - (probe ?? 0)).toBeGreaterThanOrEqual(PROBE_TAKES_MS);
    expect(gateState()).toBe('open');
  });
});

describe.concurrent('a hold', () => {
  const causes: readonly { what: string; channel: Channel; reason: string; cure: ChannelConfig }[] = [
    {
      what: 'a channel that is off',
      channel: 'sms',
      reason: 'channel-disabled',
      cure: testChannel('sms'),
    },
    {
      what: 'a channel that nobody configured',
      channel: 'in-app',
      reason: 'channel-unconfigured',
      cure: testChannel('in-app'),
    },
    {
      what: 'a channel without a provider',
      channel: 'viber',
      reason: 'channel-unconfigured',
      cure: testChannel('viber'),
    },
    {
      what: 'a channel whose provider is a stub',
      channel: 'push',
      reason: 'channel-stub',
      cure: testChannel('push'),
    },
  ];
  for (const { what, channel, reason, cure } of causes) {
    test(`of ${what} uses no attempt, and ends within seconds when its cause does`, async () => {
      const requests = Array.from({ length: 3 }, () => requestFor(channel));
      await Promise.all(requests.map((request) => service.send(request)));
      for (const { notificationId } of requests)
        expect(await heldRow(notificationId)).toMatchObject({
          ...{ status: 'Pending', final: null, attempts: 0, hold_reason: reason },
          ...{ wake_at: null, claim_token: null },
        });
      expect(requests.flatMap(callsOf)).toHaveLength(0);
      await service.saveChannel(cure);
      const curedAtMs = systemClock.nowMs();
      for (const request of requests) {
        expect(await service.outcome(request.notificationId)).toMatchObject({ status: 'Sent', attempts: 1 });
        expect((callsOf(request)[0]?.atMs ?? 0) - curedAtMs).toBeLessThan(RELEASED_WITHIN_MS);
      }
    });
  }

  test('between two attempts keeps the attempt that was made', async () => {
    const request = requestFor('whatsapp');
    service.vendor.plan(request.notificationId, [
      { kind: 'error', status: 503, code: 'overloaded', retriable: true },
    ]);
    await service.send(request);
    await service.rowWhere(request.notificationId, (row) => row['status'] === 'Failed');
    await service.saveChannel(testChannel('whatsapp', { isEnabled: false, backoff: SLOW_BACKOFF }));
    expect(await heldRow(request.notificationId)).toMatchObject({
      ...{ status: 'Failed', final: null, attempts: 1, hold_reason: 'channel-disabled' },
    });
    await service.saveChannel(testChannel('whatsapp', { backoff: SLOW_BACKOFF }));
    expect(await service.outcome(request.notificationId)).toMatchObject({ status: 'Sent', attempts: 2 });
  });

  test('ends in terminal NTF_EXPIRED at notAfter, and nobody was called', async () => {
    const notAfterMs = systemClock.nowMs() + 8_000;
    const request = freshRequest({ channel: 'max', notAfterMs });
    await service.send(request);
    await heldRow(request.notificationId);
    const outcome = await service.outcome(request.notificationId);
    expect(outcome).toMatchObject({ status: 'Failed', reason: 'expired', errorCode: 'NTF_EXPIRED' });
    expect(outcome).toMatchObject({ attempts: 0, evidence: 'none', firstAttemptAt: null });
    expect(outcome.dispatchedAt).toBeGreaterThanOrEqual(notAfterMs);
    expect(callsOf(request)).toHaveLength(0);
  });

  test('is none where only notBefore is ahead: the row waits, and the call is not early', async () => {
    const notBeforeMs = systemClock.nowMs() + 6_000;
    const request = freshRequest({ channel: 'email', notBeforeMs });
    await service.send(request);
    const waiting = await service.rowWhere(request.notificationId, () => true);
    expect(waiting).toMatchObject({ status: 'Pending', attempts: 0, hold_reason: null });
    expect((waiting['wake_at'] as Date).getTime()).toBe(notBeforeMs);
    expect(await service.outcome(request.notificationId)).toMatchObject({ status: 'Sent', attempts: 1 });
    expect(callsOf(request)[0]?.atMs).toBeGreaterThanOrEqual(notBeforeMs);
  });
});

function requestFor(channel: Channel): NotificationRequest {
  return freshRequest({ channel, recipient: RECIPIENTS[channel] ?? 'user-1' });
}

const RECIPIENTS: Partial<Record<Channel, string>> = { email: 'ada@example.com', sms: '+15550100' };

const heldRow = (id: string) => service.rowWhere(id, (row) => row['hold_reason'] !== null);
const callsOf = ({ notificationId }: NotificationRequest) =>
  service.vendor.ledger.calls.filter(({ reference }) => reference === notificationId);
const gateState = () =>
  service.running.processor.gates().find(({ providerKey }) => providerKey === 'gated')?.state;
/** The first call after the refused one. */
const isProbe = () => gated.ledger.calls.length === 1;

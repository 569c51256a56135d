// An answer is lost after the message went out: what the provider can do decides. On real Kafka and Postgres with vendors that deliver
// and say nothing; judged by their ledgers, the table, the topic and the metrics page.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Channel } from '../../src/domain/channel.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { type HttpVendor, startHttpVendor } from '../../src/lab/http-vendor.ts';
import type { VendorAnswer } from '../../src/lab/vendor-answer.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemTimers } from '../../src/runtime/timers.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';
import { until } from '../support/until.ts';

vi.setConfig({ testTimeout: 60_000 });

const HOLD_UNTIL_MS = 4_000;
/** The ways to lose an answer after the message is out. */
const LOSSES: Readonly<Record<string, VendorAnswer>> = {
  'the vendor delivers and hangs': { kind: 'hang', delivers: true },
  'the connection ends before the answer': {
    ...{ kind: 'cut', when: 'before-answer', how: 'reset', delivers: true },
  },
  'the answer breaks off in the middle': { kind: 'cut', when: 'mid-answer', how: 'close' },
};
const CUT: VendorAnswer = { kind: 'cut', when: 'mid-answer', how: 'reset' };

let service: RealService;
let forgetful: HttpVendor;
let searchable: HttpVendor;
beforeAll(async () => {
  const deps = { clock: systemClock, timers: systemTimers };
  forgetful = await startHttpVendor(deps, { capability: 'none', idPrefix: 'forgetful-' });
  searchable = await startHttpVendor(deps, { capability: 'lookup', idPrefix: 'searchable-' });
  service = await startRealService({
    channels: [
      testChannel('email'),
      testChannel('sms', { providerKey: 'forgetful', onUnknown: 'hold', holdUntilMs: HOLD_UNTIL_MS }),
      testChannel('max', { providerKey: 'forgetful', onUnknown: 'assume-sent' }),
      testChannel('viber', { providerKey: 'forgetful', onUnknown: 'resend' }),
      testChannel('whatsapp', { providerKey: 'searchable' }),
    ],
    variables: {
      // A lookup counts only when the lease of the lost call is over.
      PIN_LEASE: '8s',
      PIN_PROVIDER_VENDOR_DEADLINE: '1s',
      ...vendorSettings('FORGETFUL', forgetful, 'none'),
      ...vendorSettings('SEARCHABLE', searchable, 'lookup'),
    },
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([forgetful.close(), searchable.close()]);
});

describe.concurrent('a lost answer', () => {
  for (const [what, loss] of Object.entries(LOSSES)) {
    test(`of a provider that takes keys: ${what}, and the repeat under the same key is one message`, async () => {
      const request = requestFor('email');
      service.vendor.plan(request.notificationId, [loss]);
      await service.send(request);
      const outcome = await service.outcome(request.notificationId);
      expect(outcome).toMatchObject({
        status: 'Sent',
        reason: 'accepted',
        attempts: 2,
        evidence: 'accepted',
      });
      const calls = callsOf(service.vendor, request);
      expect(calls.map((call) => call.outcome)).toEqual(['delivered', 'repeat-of']);
      expect(new Set(calls.map((call) => call.idempotencyKey)).size).toBe(1);
      expect(messagesOf(service.vendor, request)).toEqual([outcome.providerMessageId]);
    });
  }

  test('of a provider that can tell nothing, held: Failed and uncertain, then terminal NTF_OUTCOME_UNKNOWN, never sent again', async () => {
    const request = requestFor('sms');
    forgetful.plan(request.notificationId, [CUT]);
    await service.send(request);
    const held = await service.rowWhere(
      request.notificationId,
      (row) => row['unknown_resolution'] === 'held',
    );
    expect(held).toMatchObject({ status: 'Failed', final: null, attempts: 1, error_class: 'unknown' });
    const outcome = await service.outcome(request.notificationId);
    expect(outcome).toMatchObject({
      ...{ status: 'Failed', reason: 'unknown-outcome', errorCode: 'NTF_OUTCOME_UNKNOWN' },
      ...{ attempts: 1, evidence: 'none', providerMessageId: null },
    });
    const [call, ...more] = callsOf(forgetful, request);
    expect(outcome.dispatchedAt - (call?.atMs ?? 0)).toBeGreaterThanOrEqual(HOLD_UNTIL_MS);
    expect(more).toHaveLength(0);
  });

  test('of a provider that can tell nothing, assumed sent: Sent at once, and the evidence says assumed', async () => {
    const request = requestFor('max');
    forgetful.plan(request.notificationId, [CUT]);
    await service.send(request);
    expect(await service.outcome(request.notificationId)).toMatchObject({
      ...{ status: 'Sent', reason: 'assumed', evidence: 'assumed', attempts: 1, providerMessageId: null },
    });
    expect(callsOf(forgetful, request)).toHaveLength(1);
  });

  test('of a provider that can tell nothing, sent again: the possible duplicate is counted', async () => {
    const request = requestFor('viber');
    forgetful.plan(request.notificationId, [CUT]);
    await service.send(request);
    expect(await service.outcome(request.notificationId)).toMatchObject({
      ...{ status: 'Sent', reason: 'accepted', attempts: 2 },
    });
    // This vendor forgets: the duplicate that was counted as possible is a real one.
    expect(messagesOf(forgetful, request)).toHaveLength(2);
    await until('the duplicate to be counted', async () =>
      (await service.metrics.render()).includes('pin_possible_duplicates_total{channel="viber"} 1')
        ? true
        : null,
    );
  });

  test('of a provider that can be asked: found by its reference, without a second call', async () => {
    const request = requestFor('whatsapp');
    searchable.plan(request.notificationId, [CUT]);
    await service.send(request);
    await service.rowWhere(request.notificationId, (row) => row['unknown_resolution'] === 'look-up');
    const outcome = await service.outcome(request.notificationId);
    expect(outcome).toMatchObject({ status: 'Sent', reason: 'accepted', attempts: 1 });
    expect(messagesOf(searchable, request)).toEqual([outcome.providerMessageId]);
    expect(callsOf(searchable, request)).toHaveLength(1);
    expect(searchable.ledger.totals.lookups).toBeGreaterThanOrEqual(1);
  });

  test('that never was a message: the lookup finds nothing, and the next attempt sends it', async () => {
    const request = requestFor('whatsapp');
    searchable.plan(request.notificationId, [{ kind: 'cut', when: 'before-answer', how: 'close' }]);
    await service.send(request);
    expect(await service.outcome(request.notificationId)).toMatchObject({ status: 'Sent', attempts: 2 });
    expect(messagesOf(searchable, request)).toHaveLength(1);
  });
});

function vendorSettings(name: string, vendor: HttpVendor, capability: string): Record<string, string> {
  const settings = { ADAPTER: 'http', URL: vendor.url, CAPABILITY: capability, DEADLINE: '1s' };
  return Object.fromEntries(
    Object.entries(settings).map(([setting, value]) => [`PIN_PROVIDER_${name}_${setting}`, value]),
  );
}

function requestFor(channel: Channel): NotificationRequest {
  return freshRequest({ channel, recipient: channel === 'email' ? 'ada@example.com' : '+15550100' });
}

const callsOf = (vendor: HttpVendor, { notificationId }: NotificationRequest) =>
  vendor.ledger.calls.filter(({ reference }) => reference === notificationId);
const messagesOf = (vendor: HttpVendor, { notificationId }: NotificationRequest) =>
  vendor.ledger.messages
    .filter(({ reference }) => reference === notificationId)
    .map(({ messageId }) => messageId);

import { describe, expect, test } from 'vitest';
import {
  openProviders,
  type ProviderSettings,
  providerSettingsMistakes,
} from '../../../src/providers/open-providers.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { aCall, yes } from './a-call.ts';

const time = virtualTime();
const deps = { clock: time.clock, timers: time.timers, logger: silentLogger };
const settings = (over: Partial<ProviderSettings> = {}): ProviderSettings => ({
  providerKey: 'mail',
  adapter: 'http',
  url: 'http://127.0.0.1:9/messages',
  module: null,
  capability: null,
  windowMs: null,
  visibilityDelayMs: null,
  secret: null,
  deadlineMs: 15_000,
  maxConcurrency: 32,
  ratePerSecond: null,
  ...over,
});

describe('the adapter module', () => {
  const pager = settings({ providerKey: 'pager', adapter: 'module', url: null, module: '/srv/pager.mjs' });

  test('is the delivery that was loaded for it, with a key that is kept for a day unless it says otherwise', async () => {
    const delivery = {
      consumer: 'notification-delivery',
      deliver: () => Promise.resolve({ kind: 'delivered', messageId: 'm-1' } as const),
    };
    const deliveries = new Map([
      ['pager', delivery],
      ['plain', delivery],
    ]);
    const plain = { ...pager, providerKey: 'plain', capability: 'none' } as const;
    const providers = openProviders(deps, [pager, plain], deliveries);
    expect(providers.get('pager')?.facts).toMatchObject({ capability: 'key', windowMs: 86_400_000 });
    expect(providers.get('plain')?.facts).toMatchObject({ capability: 'none', windowMs: null });
    expect(await providers.get('pager')?.send(aCall(), yes)).toEqual({
      kind: 'accepted',
      providerMessageId: 'm-1',
    });
    expect(await providers.get('pager')?.send(aCall(), () => false)).toEqual({ kind: 'not-started' });
  });

  test('says what it lacks and what it cannot do', () => {
    expect(providerSettingsMistakes([{ ...pager, module: null, capability: 'lookup' }])).toEqual([
      'provider pager: the adapter module needs a MODULE',
      'provider pager: the adapter module has no capability lookup: key or none',
    ]);
  });
});

describe('openProviders', () => {
  test('makes one instance per setting, found by its key', () => {
    const providers = openProviders(deps, [
      settings({ providerKey: 'mail', capability: 'key', windowMs: 3_600_000, ratePerSecond: 10 }),
      settings({ providerKey: 'sms', adapter: 'stub', url: null }),
    ]);

    expect([...providers.keys()]).toEqual(['mail', 'sms']);
    expect(providers.get('mail')?.facts).toEqual({
      providerKey: 'mail',
      capability: 'key',
      windowMs: 3_600_000,
      visibilityDelayMs: 0,
      deadlineMs: 15_000,
      maxConcurrency: 32,
      ratePerSecond: 10,
      isStub: false,
      echoesReference: true,
    });
    expect(providers.get('sms')?.facts.isStub).toBe(true);
  });

  test('without a capability nothing is assumed; a key without a window is trusted for a day', () => {
    const providers = openProviders(deps, [
      settings({ providerKey: 'a' }),
      settings({ providerKey: 'b', capability: 'key' }),
      settings({ providerKey: 'c', capability: 'replace' }),
    ]);

    const facts = [...providers.values()].map((one) => [one.facts.capability, one.facts.windowMs]);
    expect(facts).toEqual([
      ['none', null],
      ['key', 86_400_000],
      ['replace', null],
    ]);
  });

  test('a stub sends nothing and says so', async () => {
    const stub = openProviders(deps, [settings({ adapter: 'stub' })]).get('mail');

    expect(await stub?.send(aCall(), yes)).toEqual({ kind: 'not-implemented' });
    expect(await stub?.lookUp(aCall().reference, 1)).toEqual({ kind: 'unavailable', providerCode: null });
    await stub?.close();
  });

  test('every mistake of every instance is said at once', () => {
    const wrong = [
      settings({ providerKey: 'a', adapter: 'smtp' }),
      settings({ providerKey: 'b', url: null, deadlineMs: 0, maxConcurrency: 0, ratePerSecond: 0 }),
      settings({ providerKey: 'c', url: 'ftp://me:word@host/#x', secret: 'whsec_!!!' }),
      settings({ providerKey: 'd', adapter: null }),
      settings({ providerKey: 'd', url: 'nonsense' }),
    ];

    expect(providerSettingsMistakes(wrong)).toEqual([
      'provider d: named twice',
      'provider a: the adapter smtp is unknown; there are http, in-app, module, stub',
      'provider b: the adapter http needs a URL',
      'provider b: the concurrency must be a whole number from 1',
      'provider b: the deadline must be longer than 0',
      'provider b: the rate must be above 0',
      'provider c: the URL must be http or https',
      'provider c: the URL must not carry a user or password: use the secret',
      'provider c: the URL must not have a #fragment',
      expect.stringContaining('provider c: the secret is not whsec_ and base64'),
      'provider d: the adapter is not set',
      'provider d: the URL cannot be read',
    ]);
    expect(() => openProviders(deps, wrong)).toThrow(/named twice; provider a/);
  });
});

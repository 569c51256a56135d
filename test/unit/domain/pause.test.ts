import { describe, expect, test } from 'vitest';
import { planCommand } from '../../../src/domain/command.ts';
import { holdOf, holdReasonOf, pausedBy, pauseOfHold } from '../../../src/domain/hold.ts';
import {
  coveringPause,
  type Pausable,
  type Pause,
  type PauseKey,
  type PauseScope,
  pauseKey,
  pauseScope,
} from '../../../src/domain/pause.ts';
import { planNew, planWakeUp } from '../../../src/domain/plan.ts';
import {
  aCommand,
  aDoubt,
  aNotification,
  anAbandoned,
  anUncertain,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';

function pauses(...keys: readonly PauseKey[]): ReadonlyMap<PauseKey, Pause> {
  return new Map(keys.map((key) => [key, { key, reason: 'storm', by: 'ada', sinceMs: NOW_MS }]));
}

describe('a pause', () => {
  const scopes: readonly PauseScope[] = [
    { kind: 'channel', channel: 'sms' },
    { kind: 'tenant', tenantId: 'acme: none' },
    { kind: 'tenant', tenantId: 'none' },
    { kind: 'tenant', tenantId: null },
    { kind: 'template', templateKey: 'channel:sms' },
  ];

  test('is named by a key that is read back, and no two scopes share one', () => {
    const keys = scopes.map(pauseKey);
    expect(keys.map(pauseScope)).toEqual(scopes);
    expect(new Set(keys).size).toBe(scopes.length);
  });

  test.each(['', 'tenant', 'tenant:', 'channel:fax', 'user:ada', 'sms'])(
    'is none by the name “%s”',
    (key) => {
      expect(pauseScope(key)).toBeNull();
    },
  );

  const about: Pausable = { channel: 'sms', tenantId: 'acme', templateKey: 'welcome' };

  test.each<[PauseKey, Partial<Pausable>, boolean]>([
    ['channel:sms', {}, true],
    ['channel:email', {}, false],
    ['tenant:acme', {}, true],
    ['tenant:acme', { tenantId: null }, false],
    ['tenant-none', {}, false],
    ['tenant-none', { tenantId: null }, true],
    ['tenant-none', { tenantId: 'none' }, false],
    ['template:welcome', {}, true],
    ['template:welcome', { templateKey: null }, false],
    ['template:bye', {}, false],
  ])('%s holds exactly what it names: %j → %s', (key, over, isHeld) => {
    expect(coveringPause({ ...about, ...over }, pauses(key))).toBe(isHeld ? key : null);
  });

  test('of several, the widest holds', () => {
    const all = ['template:welcome', 'tenant:acme', 'channel:sms'] as const;
    expect(coveringPause(about, pauses(...all))).toBe('channel:sms');
    expect(coveringPause(about, pauses('template:welcome', 'tenant:acme'))).toBe('tenant:acme');
  });
});

describe('a hold', () => {
  test('keeps the pause that made it, and has one word for all of them', () => {
    const hold = pausedBy('tenant:two words');
    expect([holdReasonOf(hold), pauseOfHold(hold)]).toEqual(['paused', 'tenant:two words']);
    expect([holdReasonOf('channel-stub'), pauseOfHold('channel-stub')]).toEqual(['channel-stub', null]);
    expect(holdOf('paused', 'tenant:two words')).toBe(hold);
    expect(holdOf('channel-stub', null)).toBe('channel-stub');
  });
});

describe('what is paused', () => {
  const paused = { pause: 'tenant:tenant-1' } as const;

  test('is held at birth without an attempt, and says by what', () => {
    expect(planNew(aNotification(), someFacts(paused))).toMatchObject({
      kind: 'change',
      change: {
        next: { hold: 'paused tenant:tenant-1', attempts: 0 },
        wake: { kind: 'none' },
        trail: 'held reason=paused pause=tenant:tenant-1',
      },
    });
  });

  test('is paused also where the channel could not send anyway', () => {
    for (const config of [null, { isEnabled: false }, { providerKey: null }])
      expect(planNew(aNotification(), someFacts({ ...paused, config }))).toMatchObject({
        change: { next: { hold: 'paused tenant:tenant-1' } },
      });
  });

  test('is held between two attempts, with the attempts that were made', () => {
    const row = aNotification({ status: 'Failed', attempts: 2 });
    expect(planWakeUp(row, row.wakeSeq, someFacts(paused))).toMatchObject({
      change: { next: { hold: 'paused tenant:tenant-1', attempts: 2 } },
    });
  });

  const held = aNotification({ hold: 'paused tenant:tenant-1', wakeAtMs: null });

  test('stays as it is while the same pause stands', () => {
    expect(planWakeUp(held, 9, someFacts(paused))).toEqual({ kind: 'drop', reason: 'held' });
  });

  test('goes over to the pause that still holds it when its own has ended', () => {
    expect(planWakeUp(held, 9, someFacts({ pause: 'template:welcome' }))).toMatchObject({
      change: { next: { hold: 'paused template:welcome' }, wake: { kind: 'none' } },
    });
  });

  test('is sent when no pause holds it any more', () => {
    expect(planWakeUp(held, 9, someFacts())).toMatchObject({ kind: 'send', claim: { next: { hold: null } } });
  });

  test('ends at notAfter all the same', () => {
    expect(planNew(aNotification({ notAfterMs: NOW_MS + 5 }), someFacts(paused))).toMatchObject({
      change: { wake: { kind: 'at', atMs: NOW_MS + 5 } },
    });
    const late = { ...held, notAfterMs: NOW_MS, wakeAtMs: NOW_MS };
    expect(planWakeUp(late, 9, someFacts(paused))).toMatchObject({ change: { next: { final: 'expired' } } });
  });

  test('is not called again after a lost call, and its provider is still asked', () => {
    expect(planWakeUp(anAbandoned(), 9, someFacts(paused))).toMatchObject({
      kind: 'change',
      change: { next: { claim: null, unknown: { resolution: 'retry' } } },
    });
    const asking = anUncertain({ unknown: aDoubt({ resolution: 'look-up' }) });
    const facts = someFacts({ ...paused, providers: [{ capability: 'lookup' }] });
    expect(planWakeUp(asking, asking.wakeSeq, facts).kind).toBe('look-up');
  });

  test('is not let go by a release while the pause stands', () => {
    const release = aCommand({ kind: 'release' });
    expect(planCommand(held, release, someFacts(paused))).toMatchObject({ result: 'refused-hold-stands' });
    expect(planCommand(held, release, someFacts())).toMatchObject({ result: 'done' });
  });
});

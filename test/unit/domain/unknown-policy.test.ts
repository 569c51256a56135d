import { describe, expect, test } from 'vitest';
import { settleByPolicy, waitUncertain } from '../../../src/domain/unknown-policy.ts';
import { aDoubt, aNotification, anUncertain, NOW_MS, someFacts } from '../../support/a-notification.ts';

const doubt = aDoubt();
const row = anUncertain();

describe('OnUnknown', () => {
  test('hold waits for a webhook until HoldUntil, and announces no attempt', () => {
    expect(settleByPolicy(row, doubt, someFacts({ config: { holdUntilMs: 600_000 } }))).toMatchObject({
      next: { status: 'Failed', final: null, unknown: { ...doubt, resolution: 'held' } },
      wake: { kind: 'after', waitMs: 600_000, inLog: true },
      isNextAttempt: false,
    });
  });

  test('hold ends at notAfter when that comes first', () => {
    const short = anUncertain({ notAfterMs: NOW_MS + 5 });
    expect(settleByPolicy(short, doubt, someFacts()).wake).toMatchObject({ kind: 'at', atMs: NOW_MS + 5 });
  });

  test('assume-sent never sends a second message: Sent, with nothing to prove it', () => {
    expect(settleByPolicy(row, doubt, someFacts({ config: { onUnknown: 'assume-sent' } }))).toMatchObject({
      next: {
        status: 'Sent',
        final: 'assumed',
        unknown: null,
        outcomeSeq: 1,
        outcome: { reason: 'assumed', evidence: 'assumed', providerMessageId: null, error: null },
      },
      trail: 'assumed-sent n=1',
    });
  });

  test('assume-sent after several calls keeps the doubt about the last one', () => {
    const several = anUncertain({ attempts: 2, unknown: aDoubt({ providerKey: 'chat' }) });
    const last = aDoubt({ attempt: 2, providerKey: 'chat', resolution: 'held' });
    const assumed = settleByPolicy(several, last, someFacts({ config: { onUnknown: 'assume-sent' } }));
    expect(assumed.next.outcome?.doubt).toEqual(last);
  });

  test('resend sends again by backoff while attempts are left', () => {
    expect(settleByPolicy(row, doubt, someFacts({ config: { onUnknown: 'resend' } }))).toMatchObject({
      next: { final: null, unknown: { ...doubt, resolution: 'resend' } },
      wake: { kind: 'after', waitMs: 30_000 },
      isNextAttempt: true,
    });
  });

  test('resend ends as unknown when none is left', () => {
    const last = anUncertain({ attempts: 5 });
    expect(settleByPolicy(last, doubt, someFacts({ config: { onUnknown: 'resend' } })).next.final).toBe(
      'unknown-outcome',
    );
  });

  test('without a configuration it is hold', () => {
    expect(settleByPolicy(row, doubt, someFacts({ config: null })).next.unknown).toMatchObject({
      resolution: 'held',
    });
  });

  test('Telegram assumes by default', () => {
    const telegram = anUncertain({ channel: 'telegram' });
    expect(settleByPolicy(telegram, doubt, someFacts({ config: null })).next.final).toBe('assumed');
  });
});

describe('waitUncertain', () => {
  test('says that the row is uncertain when nothing said it yet', () => {
    const change = waitUncertain(
      aNotification({ hold: 'paused tenant:tenant-1' }),
      doubt,
      9,
      true,
      someFacts(),
    );
    expect(change.next).toMatchObject({ status: 'Failed', hold: null, lastError: { errorClass: 'unknown' } });
  });

  test('announces no attempt when notAfter comes first', () => {
    const change = waitUncertain(anUncertain({ notAfterMs: NOW_MS + 9 }), doubt, 9, true, someFacts());
    expect(change.isNextAttempt).toBe(false);
  });
});

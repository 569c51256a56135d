import { describe, expect, test } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import { makePlan, readPlan, redriveCommandId, whyNot } from '../../../src/ops/redrive-plan.ts';
import { failureShare, type Standing, standingOf } from '../../../src/ops/redrive-progress.ts';
import { isoTime } from '../../../src/runtime/clock.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import { aNotification, anId, NOW_MS } from '../../support/a-notification.ts';

const FAILED: Partial<Notification> = {
  ...{ status: 'Failed', final: 'exhausted', wakeAtMs: null, outcomeSeq: 1, publishedSeq: 1, cycle: 2 },
  outcome: {
    ...{
      schemaVersion: 1,
      seq: 1,
      supersedes: null,
      status: 'Failed',
      reason: 'exhausted',
      providerKey: 'p',
    },
    ...{ cycle: 2, attempts: 5, maxAttempts: 5, providerMessageId: null, evidence: 'none' },
    error: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null },
  },
};
const aFailure = (n: number, over: Partial<Notification> = {}) => ({
  row: aNotification({ id: anId(n), ...FAILED, ...over }),
  hasContent: true,
});
const WISH = {
  ...{ madeAt: isoTime(NOW_MS), actor: 'ada', reason: 'the vendor is back', filter: { channel: 'email' } },
  ...{ ratePerSecond: 10, cap: 100, stopAtFailureShare: 0.5, isForced: false },
};
const planOf = (rows: readonly ReturnType<typeof aFailure>[], limit = 100, isForced = false) =>
  makePlan({ ...WISH, isForced }, { matched: rows.length, rows }, limit, { nowMs: NOW_MS, isoTime });

describe('a redrive plan', () => {
  test('is read back as it was made, whatever white space does', () => {
    const plan = planOf([aFailure(1), aFailure(2)]);
    for (const text of [JSON.stringify(plan), JSON.stringify(plan, null, 4)])
      expect(readPlan(text)).toEqual({ kind: 'plan', plan });
    expect(plan.notifications[1]).toEqual({
      ...{ id: anId(2), expectedCycle: 2 },
      lastOutcome: { seq: 1, reason: 'exhausted', code: 'NTF_PROVIDER_TRANSIENT' },
    });
  });

  test('is refused after any change, and when it is none', () => {
    const plan = planOf([aFailure(1), aFailure(2)]);
    const changed = [
      { ...plan, ratePerSecond: 11 },
      { ...plan, isForced: true },
      { ...plan, notifications: plan.notifications.slice(1), count: 1 },
      { ...plan, reason: 'another' },
    ];
    for (const one of changed)
      expect(readPlan(JSON.stringify(one))).toEqual({
        kind: 'refused',
        why: 'it was changed after it was made: make another plan',
      });
    expect(readPlan('{').kind).toBe('refused');
    expect(readPlan('{}')).toMatchObject({
      why: expect.stringContaining('no redrive plan of version 1') as string,
    });
    expect(readPlan(JSON.stringify({ ...plan, more: 1 })).kind).toBe('refused');
  });

  test('leaves out what cannot be redriven, and says why', () => {
    const standing = [{ messageId: 'm', cycle: 2, attempt: 1, verdict: 'accepted' }] as const;
    const uncertain = { ...aFailure(4).row.outcome, isUncertain: true } as Notification['outcome'];
    const rows = [
      aFailure(1),
      { ...aFailure(2), hasContent: false },
      aFailure(3, { evidence: standing }),
      aFailure(4, { outcome: uncertain }),
      aFailure(5, { notAfterMs: NOW_MS }),
    ];
    const plan = planOf(rows);
    expect(plan.notifications.map(({ id }) => id)).toEqual([anId(1)]);
    expect(plan.leftOut).toEqual({
      'the content is gone': 1,
      'a message of it stands': 1,
      'it may have arrived (--force to send again)': 1,
      'its time is over (notAfter)': 1,
    });
    expect(planOf(rows, 100, true).notifications.map(({ id }) => id)).toEqual([anId(1), anId(4)]);
    expect(whyNot(aFailure(1), false, NOW_MS)).toBeNull();
  });

  test('takes no more than its limit, and always the same command for the same notification', () => {
    const plan = planOf([aFailure(1), aFailure(2), aFailure(3)], 2);
    expect([plan.count, plan.matched]).toEqual([2, 3]);
    const id = redriveCommandId(plan, anId(1));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(redriveCommandId(plan, anId(1))).toBe(id);
    expect(redriveCommandId({ hash: 'sha256:other' }, anId(1))).not.toBe(id);
  });
});

describe('how a planned notification stands', () => {
  const [planned] = planOf([aFailure(1)]).notifications;
  invariant(planned !== undefined, 'one is planned');
  const row = (over: Partial<Notification>) => aFailure(1, over).row;
  const cases: readonly (readonly [string, Notification | null, Standing])[] = [
    ['as it was planned', row({}), 'open'],
    ['not there any more', null, 'gone'],
    ['redriven by somebody else', row({ cycle: 3, final: null }), 'moved-on'],
    ['ended anew meanwhile', row({ outcomeSeq: 2 }), 'moved-on'],
    ['closed meanwhile', row({ closedAtMs: NOW_MS }), 'moved-on'],
    ['refused by the row', row({ commandIds: ['c'] }), 'refused'],
    ['due', row({ commandIds: ['c'], cycle: 3, final: null, attempts: 0 }), 'running'],
    ['Sent', row({ commandIds: ['c'], cycle: 3, final: 'accepted', status: 'Sent' }), 'sent'],
    [
      'waiting after a failed attempt',
      row({ commandIds: ['c'], cycle: 3, final: null, attempts: 1 }),
      'failed',
    ],
    ['failed for good again', row({ commandIds: ['c'], cycle: 3, attempts: 5 }), 'failed'],
    ['reopened once more', row({ commandIds: ['c'], cycle: 4, final: null, attempts: 0 }), 'running'],
  ];
  test.each(cases)('%s', (_words, now, standing) => {
    expect(standingOf(planned, now, 'c')).toBe(standing);
  });

  test('is judged by the newest that came to something, when there are enough', () => {
    const many = (standing: Standing, count: number) => Array.from({ length: count }, () => standing);
    expect(failureShare([...many('failed', 9), ...many('running', 50)])).toBeNull();
    expect(failureShare([...many('failed', 5), ...many('open', 20), ...many('sent', 5)])).toBe(0.5);
    expect(failureShare([...many('failed', 50), ...many('sent', 50)])).toBe(0);
  });
});

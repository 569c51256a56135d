// A cancel, while something is in flight, before the request, and too late.
import { describe, expect, test } from 'vitest';
import { newNotification, planRedelivery } from '../../../src/domain/admission.ts';
import { cancelBeforeRequest } from '../../../src/domain/command.ts';
import type { Notification } from '../../../src/domain/notification.ts';
import { planWakeUp } from '../../../src/domain/plan.ts';
import { releaseClaim } from '../../../src/domain/release.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { insertedRow } from '../../../src/state/applied-change.ts';
import {
  ACCEPTED,
  aClaim,
  aClaimed,
  aCommand,
  aNotification,
  anAbandoned,
  anAnswer,
  anUncertain,
  aRequest,
  aSent,
  LOST,
  NOW_MS,
  TRANSIENT,
} from '../../support/a-notification.ts';
import { facts, failed, ID, KEPT, told } from './commanding.ts';

describe('cancel', () => {
  test.each([
    ['waits', aNotification({ status: 'Failed', attempts: 1 })],
    ['is held', aNotification({ hold: 'paused tenant:tenant-1', wakeAtMs: null })],
    ['is in doubt', anUncertain()],
  ])('ends a row that %s', (_, row) => {
    expect(told(row, {})).toMatchObject({
      result: 'done',
      next: {
        status: 'Failed',
        final: 'cancelled',
        hold: null,
        unknown: null,
        lastError: { code: 'NTF_CANCELLED' },
        outcome: { reason: 'cancelled', seq: 1 },
      },
      wake: { kind: 'after' },
    });
  });

  test('remembers that a call in doubt may have arrived', () => {
    expect(told(anUncertain(), {})).toMatchObject({ next: { outcome: { isUncertain: true } } });
    const sure = told(aNotification(), {});
    expect('next' in sure && sure.next.outcome).not.toHaveProperty('isUncertain');
  });

  test('is refused when the row has ended', () => {
    expect(told(aSent(), {})).toMatchObject({ result: 'refused-final', next: { final: 'accepted' } });
    expect(told(failed(), {})).toMatchObject({ result: 'refused-final', next: { final: 'exhausted' } });
  });

  test('is only written down while a call is in flight', () => {
    const row = aClaimed();
    expect(told(row, {})).toMatchObject({
      result: 'requested',
      next: { claim: row.claim, cancelBy: 'ops:ada', final: null },
      ...KEPT,
    });
  });

  const asked = (over: Partial<Notification> = {}) => aClaimed({ cancelBy: 'ops:ada', ...over });

  test('that was written down comes too late for an accepted call', () => {
    expect(settleAnswer(asked(), anAnswer(ACCEPTED), facts)).toMatchObject({
      next: { final: 'accepted', cancelBy: null },
    });
  });

  test.each([TRANSIENT, LOST])('that was written down takes effect when the answer is $kind', (outcome) => {
    expect(settleAnswer(asked(), anAnswer(outcome), facts)).toMatchObject({
      next: { final: 'cancelled', claim: null, cancelBy: null, attempts: 1 },
      trail: 'cancelled by=ops:ada',
    });
  });

  test('that was written down takes effect when the claim is given back or abandoned', () => {
    expect(releaseClaim(asked(), aClaim(), facts)).toMatchObject({
      next: { final: 'cancelled', attempts: 0 },
    });
    expect(planWakeUp(anAbandoned({ cancelBy: 'ops:ada' }), 1, facts)).toMatchObject({
      kind: 'change',
      change: {
        next: { final: 'cancelled', unknown: null, outcome: { isUncertain: true } },
        trail: 'cancelled by=ops:ada n=1',
      },
    });
  });
});

describe('a cancel before its request', () => {
  const change = cancelBeforeRequest(aCommand());
  const row = insertedRow(change, NOW_MS);
  const meets = (tenantId: string | null) =>
    planRedelivery(row, { payloadHash: '', tenantId: row.tenantId }, { payloadHash: 'p', tenantId });

  test('keeps the place: final, owing nothing, with the command in it', () => {
    expect(change).toMatchObject({
      next: {
        ...newNotification(aRequest()),
        channel: 'none',
        status: 'Failed',
        final: 'cancelled',
        commandIds: [ID],
        lastError: { code: 'NTF_CANCELLED' },
        requestedAtMs: NOW_MS - 200,
      },
      wake: { kind: 'none' },
      trail: `command-cancel result=done id=${ID} by=ops:ada`,
    });
  });

  test('stops the request of its own tenant and of no other', () => {
    expect(meets('tenant-1')).toEqual({ kind: 'cancelled' });
    expect(meets(null)).toEqual({ kind: 'replace' });
    expect(meets('tenant-2')).toEqual({ kind: 'replace' });
  });

  test('answers the same command once', () => {
    expect(told(row, {})).toEqual({ kind: 'repeat' });
    expect(told(row, { commandId: 'another', kind: 'redrive' }, true)).toMatchObject({
      result: 'refused-purged',
    });
  });
});

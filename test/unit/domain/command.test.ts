// What a person asks meets the row, one rule at a time.
import { describe, expect, test } from 'vitest';
import { MAX_COMMAND_IDS, planCommand } from '../../../src/domain/command.ts';
import { COMMAND_KINDS } from '../../../src/domain/notification-command.ts';
import {
  aClaimed,
  aCommand,
  aDoubt,
  aNotification,
  anUncertain,
  aSent,
  NOW_MS,
  someFacts,
} from '../../support/a-notification.ts';
import { failed, ID, KEPT, told } from './commanding.ts';

describe('any command', () => {
  test.each(COMMAND_KINDS)('%s is answered by one line with its id, actor and result', (kind) => {
    const plan = told(aSent(), { kind });
    const line = new RegExp(`^command-${kind} result=refused-[a-z-]+ id=${ID} by=ops:ada$`);
    expect('trail' in plan && plan.trail).toMatch(line);
    expect(plan).toMatchObject({ next: { commandIds: [ID] }, ...KEPT });
  });

  test.each(COMMAND_KINDS)('%s that was answered before does nothing', (kind) => {
    expect(told(aSent({ commandIds: [ID] }), { kind })).toEqual({ kind: 'repeat' });
    expect(told(aSent({ commandIds: [ID], publishedSeq: 0 }), { kind })).toEqual({ kind: 'repeat' });
  });

  test.each(COMMAND_KINDS)('%s of another tenant meets nothing', (kind) => {
    expect(told(aSent(), { kind, tenantId: null })).toEqual({ kind: 'unknown' });
    expect(told(aSent({ tenantId: null }), { kind })).toEqual({ kind: 'unknown' });
  });

  test('waits until the outcome that the row owes is published', () => {
    expect(told(aSent({ publishedSeq: 0 }), {})).toEqual({ kind: 'publish' });
  });

  test('is refused when the row is in another cycle than the actor saw', () => {
    for (const kind of ['cancel', 'redrive', 'release', 'close'] as const)
      expect(told(failed({ cycle: 1 }), { kind, expectedCycle: 0 })).toMatchObject({
        result: 'refused-cycle',
        ...KEPT,
      });
    expect(
      told(failed({ cycle: 1, inAppStatus: 'arrived' }), { kind: 'mark-read', expectedCycle: 0 }),
    ).toMatchObject({
      result: 'done',
    });
  });

  test('is remembered among the last ones only', () => {
    const commandIds = Array.from({ length: MAX_COMMAND_IDS }, (_, index) => `id-${index}`);
    expect(told(failed({ commandIds }), { kind: 'close' })).toMatchObject({
      next: { commandIds: [...commandIds.slice(1), ID] },
    });
  });
});

describe('redrive', () => {
  test('starts a new cycle with a fresh budget, due now', () => {
    expect(
      told(failed({ providerMessageId: 'm-1', closedAtMs: 5 }), { kind: 'redrive', expectedCycle: 0 }),
    ).toMatchObject({
      result: 'done',
      next: {
        status: 'Failed',
        final: null,
        cycle: 1,
        attempts: 0,
        providerMessageId: null,
        closedAtMs: null,
        outcomeSeq: 1,
        publishedSeq: 1,
      },
      isNextAttempt: true,
      wake: { kind: 'after', waitMs: 0, inLog: true },
    });
  });

  test.each(['unknown-outcome', 'cancelled', 'expired', 'refused'] as const)(
    'is refused while the last outcome (%s) may have arrived, unless it is forced',
    (final) => {
      const outcome = { isUncertain: true } as never;
      expect(told(failed({ final, outcome }), { kind: 'redrive' })).toMatchObject({
        result: 'refused-unknown',
        ...KEPT,
      });
      expect(told(failed({ final, outcome }), { kind: 'redrive', isForced: true })).toMatchObject({
        result: 'done',
        next: { cycle: 1, outcome: { isUncertain: true, wasRedrivenInDoubt: true } },
        trail: `command-redrive result=done id=${ID} by=ops:ada force=1`,
      });
    },
  );

  test('of a row with a message that stands is refused, also by force', () => {
    for (const isForced of [false, true])
      expect(told(aSent(), { kind: 'redrive', isForced })).toMatchObject({ result: 'refused-sent', ...KEPT });
  });

  test('of a row that was only assumed to be Sent needs force', () => {
    const outcome = { isUncertain: true } as never;
    const row = aSent({ final: 'assumed', providerMessageId: null, evidence: [], outcome });
    expect(told(row, { kind: 'redrive' })).toMatchObject({ result: 'refused-unknown' });
    expect(told(row, { kind: 'redrive', isForced: true })).toMatchObject({
      next: { status: 'Pending', final: null, cycle: 1, attempts: 0 },
    });
  });

  test.each([
    ['refused-not-final', aNotification()],
    ['refused-not-final', aClaimed()],
    ['refused-expired', failed({ notAfterMs: NOW_MS })],
  ] as const)('is %s', (result, row) => {
    expect(told(row, { kind: 'redrive', isForced: true })).toMatchObject({ result, ...KEPT });
  });
});

describe('any command to a purged row', () => {
  test.each(['redrive', 'cancel', 'close', 'release', 'mark-read'] as const)(
    '%s is refused, and nothing of it is written',
    (kind) => {
      expect(told(failed(), { kind, isForced: true }, true)).toEqual({ kind: 'purged' });
    },
  );

  test('of another tenant does not exist, and a repeated one is a repeat', () => {
    expect(told(failed(), { tenantId: 'tenant-2' }, true)).toEqual({ kind: 'unknown' });
    expect(told(failed({ commandIds: [ID] }), {}, true)).toEqual({ kind: 'repeat' });
  });
});

describe('release', () => {
  test('takes the row off hold now when the cause is gone', () => {
    expect(
      told(aNotification({ hold: 'channel-disabled', wakeAtMs: null }), { kind: 'release' }),
    ).toMatchObject({
      result: 'done',
      next: { hold: null },
      wake: { kind: 'after', waitMs: 0, inLog: true },
    });
  });

  test('never waits beyond notAfter', () => {
    const row = aNotification({
      hold: 'paused tenant:tenant-1',
      notAfterMs: NOW_MS - 1,
      wakeAtMs: NOW_MS - 1,
    });
    expect(told(row, { kind: 'release' })).toMatchObject({ wake: { kind: 'at', atMs: NOW_MS - 1 } });
  });

  test('is refused while the cause stands, and where nothing is held', () => {
    const row = aNotification({ hold: 'channel-disabled', wakeAtMs: null });
    const off = planCommand(row, aCommand({ kind: 'release' }), someFacts({ config: { isEnabled: false } }));
    expect(off).toMatchObject({
      result: 'refused-hold-stands',
      change: { next: { hold: 'channel-disabled' }, ...KEPT },
    });
    expect(told(aNotification(), { kind: 'release' })).toMatchObject({ result: 'refused-not-held' });
  });
});

describe('close', () => {
  test('acknowledges a terminal failure once', () => {
    expect(told(failed(), { kind: 'close' })).toMatchObject({
      result: 'done',
      next: { closedAtMs: NOW_MS },
      ...KEPT,
    });
    expect(told(failed({ closedAtMs: 5 }), { kind: 'close' })).toMatchObject({
      result: 'already',
      next: { closedAtMs: 5 },
    });
  });

  test.each([aSent(), aNotification({ status: 'Failed' })])('is refused for anything else', (row) => {
    expect(told(row, { kind: 'close' })).toMatchObject({ result: 'refused-not-failed' });
  });
});

describe('mark-read', () => {
  test('sets ReadAt of the copy and never changes delivery [AC8]', () => {
    for (const row of [
      aNotification({ inAppStatus: 'arrived', status: 'Failed', attempts: 2 }),
      aClaimed({ inAppStatus: 'arrived' }),
      anUncertain({ inAppStatus: 'arrived', unknown: aDoubt() }),
      aSent({ inAppStatus: 'arrived' }),
    ]) {
      const plan = told(row, { kind: 'mark-read' });
      expect(plan).toMatchObject({ result: 'done', ...KEPT });
      expect('next' in plan && plan.next).toEqual({ ...row, readAtMs: NOW_MS - 200, commandIds: [ID] });
    }
  });

  test('is never later than now, and counts once', () => {
    const row = aSent({ inAppStatus: 'arrived' });
    expect(told(row, { kind: 'mark-read', issuedAtMs: NOW_MS + 9 })).toMatchObject({
      next: { readAtMs: NOW_MS },
    });
    expect(told({ ...row, readAtMs: 7 }, { kind: 'mark-read' })).toMatchObject({
      result: 'already',
      next: { readAtMs: 7 },
    });
  });

  test('needs a copy that arrived', () => {
    expect(told(aSent(), { kind: 'mark-read' })).toMatchObject({ result: 'refused-no-copy' });
    expect(told(aNotification({ inAppStatus: 'waiting' }), { kind: 'mark-read' })).toMatchObject({
      result: 'refused-no-copy',
    });
    expect(told(aSent({ channel: 'in-app' }), { kind: 'mark-read' })).toMatchObject({ result: 'done' });
  });
});

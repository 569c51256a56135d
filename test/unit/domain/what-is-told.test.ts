// What a decision leaves for people to read: the line in the trail, the error, the outcome's details.
import { describe, expect, test } from 'vitest';
import { cancelBeforeRequest, planCommand } from '../../../src/domain/command.ts';
import type { MessageEvidence, Notification } from '../../../src/domain/notification.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { planWebhook } from '../../../src/domain/webhook.ts';
import {
  ACCEPTED,
  aClaim,
  aClaimed,
  aCommand,
  aDoubt,
  aMessage,
  aNotification,
  anAnswer,
  anUncertain,
  aSent,
  aWebhook,
  BOUNCE,
  HARD,
  MISCONFIGURED,
  NOW_MS,
  REFUSED,
  someFacts,
} from '../../support/a-notification.ts';

const LONG_ID = 'x'.repeat(60);
const SHOWN = 'x'.repeat(40);
const answered = (row: Notification, ...[outcome, over]: Parameters<typeof anAnswer>) =>
  settleAnswer(row, anAnswer(outcome, over), someFacts());
const reported = (row: Notification, over: Parameters<typeof aWebhook>[0]) =>
  planWebhook(row, aWebhook(over), someFacts());

describe('a refusal', () => {
  test('tells the attempt, the code and what the provider said', () => {
    const change = answered(aClaimed(), REFUSED);
    expect(change?.trail).toBe('refused n=1 code=NTF_PROVIDER_INVALID_RECIPIENT said=550');
    expect(change?.next.outcome).toMatchObject({ evidence: 'none', providerMessageId: null });
    expect(change?.next.outcome).not.toHaveProperty('tokenInvalidSinceMs');
  });

  const NOBODYS = { kind: 'refused', code: 'NTF_PUSH_TOKEN_INVALID', providerCode: 'gone' } as const;

  test('of a token says when the call began that learnt it', () => {
    const row = aClaimed({ channel: 'push', lastAttemptAtMs: NOW_MS - 700 });
    expect(answered(row, NOBODYS)?.next.outcome).toMatchObject({ tokenInvalidSinceMs: NOW_MS - 700 });
    const unsaid = answered({ ...row, lastAttemptAtMs: null }, NOBODYS)?.next.outcome;
    expect(unsaid).not.toHaveProperty('tokenInvalidSinceMs');
  });

  test('that comes late speaks of the call in doubt', () => {
    const row = anUncertain({ unknown: aDoubt({ sinceMs: NOW_MS - 9_000 }), lastAttemptAtMs: NOW_MS });
    expect(answered(row, NOBODYS, { claimToken: 'another' })?.next.outcome).toMatchObject({
      tokenInvalidSinceMs: NOW_MS - 9_000,
    });
  });
});

test('a misconfigured provider is told with its code and the wait', () => {
  const change = answered(aClaimed(), MISCONFIGURED);
  expect(change?.trail).toBe('misconfigured n=1 said=401 wait=30000');
  expect(change?.next.lastError).toEqual({
    ...{ code: 'NTF_PROVIDER_MISCONFIGURED', errorClass: 'misconfigured', providerCode: '401' },
  });
});

describe('a message', () => {
  test('is named by the first forty characters of its id', () => {
    const accepted = { kind: 'accepted', providerMessageId: LONG_ID } as const;
    expect(answered(aClaimed(), accepted)?.trail).toBe(`accepted n=1 message=${SHOWN}`);
    const row = aSent({ providerMessageId: LONG_ID, evidence: [aMessage({ messageId: LONG_ID })] });
    expect(reported(row, { ...BOUNCE, providerMessageId: LONG_ID })).toMatchObject({
      change: { trail: `reopened cycle=1 code=NTF_PROVIDER_TRANSIENT said=bounce message=${SHOWN}` },
    });
    expect(reported(row, { ...HARD, providerMessageId: LONG_ID })).toMatchObject({
      change: { trail: `failed-webhook code=NTF_PROVIDER_INVALID_RECIPIENT said=550 message=${SHOWN}` },
    });
  });

  test('that failed before is told with its own error, and without one as what its verdict means', () => {
    const failed = (verdict: MessageEvidence['verdict']) =>
      answered(aClaimed({ evidence: [aMessage({ verdict })] }), ACCEPTED)?.next;
    expect(failed('failed-transient')).toMatchObject({
      ...{ final: null, cycle: 1 },
      lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: null },
    });
    expect(failed('failed-hard')).toMatchObject({
      final: 'failed-webhook',
      lastError: { code: 'NTF_PROVIDER_INVALID_RECIPIENT', errorClass: 'refused', providerCode: null },
    });
    const other = { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: 'other' } as const;
    const older = aMessage({ messageId: 'm-0', verdict: 'failed-transient', error: other });
    expect(reported(aSent({ evidence: [older, aMessage()] }), BOUNCE)).toMatchObject({
      change: { next: { lastError: { providerCode: 'bounce' } } },
    });
  });

  test('of an older cycle that failed hard does not end the cycle of another one', () => {
    const older = aMessage({ messageId: 'm-0', verdict: 'failed-hard' });
    const row = aSent({ cycle: 1, attempts: 2, evidence: [older, aMessage({ cycle: 1, attempt: 2 })] });
    expect(reported(row, BOUNCE)).toMatchObject({ change: { next: { final: null, cycle: 2 } } });
  });

  test('accepted late stays evidence while one of several stands', () => {
    const failed = aMessage({ messageId: 'm-0', verdict: 'failed-transient' });
    const late = { kind: 'accepted', providerMessageId: 'm-9' } as const;
    const change = answered(aSent({ evidence: [failed, aMessage()] }), late, { claimToken: 'another' });
    expect(change?.next).toMatchObject({ providerMessageId: 'm-1', providerKey: 'mail' });
  });
});

describe('a command', () => {
  test.each([
    [{ actor: 'a'.repeat(40), isForced: true }, `by=${'a'.repeat(32)} force=1`],
    [{ actor: 'ada', reason: 'r'.repeat(60) }, `by=ada why=${'r'.repeat(48)}`],
  ])('is told with its actor and reason, both cut: %j', (over, said) => {
    const command = aCommand(over);
    const plan = planCommand(aNotification(), command, someFacts());
    expect(plan).toMatchObject({
      change: { trail: `command-cancel result=done id=${command.commandId} ${said}` },
    });
  });

  test('that cancels ahead leaves a row that never wakes, of nobody, and says so', () => {
    const command = aCommand();
    const { next, ...rest } = cancelBeforeRequest(command);
    expect(next).toMatchObject({
      ...{ id: command.notificationId, tenantId: command.tenantId, status: 'Failed', final: 'cancelled' },
      ...{ commandIds: [command.commandId], inAppUserId: null, notBeforeMs: null, notAfterMs: null },
      lastError: { code: 'NTF_CANCELLED', errorClass: 'cancelled', providerCode: null },
    });
    expect(rest).toEqual({
      ...{ wake: { kind: 'none' }, isNextAttempt: false },
      trail: `command-cancel result=done id=${command.commandId} by=ops:ada`,
    });
  });

  test('that cancels says why in the outcome', () => {
    const plan = planCommand(aNotification(), aCommand(), someFacts());
    expect(plan).toMatchObject({
      change: {
        next: {
          lastError: { code: 'NTF_CANCELLED', errorClass: 'cancelled', providerCode: null },
          outcome: { evidence: 'none', error: { errorClass: 'cancelled' } },
        },
      },
    });
  });

  test('redrives a Failed row as Failed, and one that is not yet expired', () => {
    const row = aNotification({ status: 'Failed', final: 'exhausted', notAfterMs: NOW_MS + 1 });
    const plan = planCommand(row, aCommand({ kind: 'redrive' }), someFacts());
    expect(plan).toMatchObject({
      result: 'done',
      change: { next: { status: 'Failed', final: null, cycle: 1 }, isNextAttempt: true },
    });
  });

  test('releases without announcing an attempt', () => {
    const row = aNotification({ hold: 'channel-disabled', wakeAtMs: null });
    const plan = planCommand(row, aCommand({ kind: 'release' }), someFacts());
    expect(plan).toMatchObject({ result: 'done', change: { isNextAttempt: false } });
  });
});

test('a takeover that is answered by the call that replaced the first one leaves no doubt', () => {
  const facts = someFacts({ providers: [{ capability: 'replace' }] });
  const row = aClaimed({
    ...{ claim: aClaim({ takeovers: 1 }), unknown: aDoubt() },
    lastAttemptAtMs: NOW_MS - 10_000,
  });
  const change = settleAnswer(row, anAnswer(ACCEPTED), facts);
  expect(change?.next.status).toBe('Sent');
  expect(change?.next.outcome).not.toHaveProperty('doubt');
  const told = planWebhook({ ...row, claim: null }, aWebhook({ attempt: 1 }), facts);
  expect(told).toMatchObject({ change: { next: { outcome: { doubt: { attempt: 1 } } } } });
});

import { expect, test } from 'vitest';
import { inboxUserOf, isInInbox } from '../../../src/domain/inbox.ts';
import { aNotification, aRequest } from '../../support/a-notification.ts';

const copy = { userId: 'ada', title: 'Hello', body: 'Hello, Ada' };

test('the inbox is that of the copy, or of the recipient where the channel is the inbox', () => {
  expect(inboxUserOf(aRequest({ inApp: copy, channel: 'in-app', recipient: 'bob' }))).toBe('ada');
  expect(inboxUserOf(aRequest({ channel: 'in-app', recipient: 'bob' }))).toBe('bob');
  expect(inboxUserOf(aRequest())).toBeNull();
});

test.each([
  [{ inAppUserId: 'ada', inAppStatus: 'arrived' }, true],
  [{ inAppUserId: 'ada', inAppStatus: 'waiting' }, false],
  [{ inAppUserId: null, inAppStatus: 'arrived' }, false],
  [{ inAppUserId: 'ada', channel: 'in-app', status: 'Sent' }, true],
  [{ inAppUserId: 'ada', channel: 'in-app', status: 'Failed' }, false],
  [{ inAppUserId: 'ada', channel: 'email', status: 'Sent' }, false],
  [{ inAppUserId: null, channel: 'in-app', status: 'Sent' }, false],
] as const)('a row %j is in it: %s', (over, isThere) => {
  expect(isInInbox(aNotification(over))).toBe(isThere);
});

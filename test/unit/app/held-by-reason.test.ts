import { expect, test } from 'vitest';
import { heldByReason } from '../../../src/app/held-by-reason.ts';

test('all pauses of a channel are one number, beside its other reasons', () => {
  expect(
    heldByReason([
      { channel: 'sms', hold: 'paused tenant:acme', count: 3 },
      { channel: 'sms', hold: 'channel-disabled', count: 5 },
      { channel: 'sms', hold: 'paused template:welcome', count: 4 },
      { channel: 'email', hold: 'paused tenant:acme', count: 1 },
    ]),
  ).toEqual([
    { channel: 'sms', reason: 'paused', count: 7 },
    { channel: 'sms', reason: 'channel-disabled', count: 5 },
    { channel: 'email', reason: 'paused', count: 1 },
  ]);
});

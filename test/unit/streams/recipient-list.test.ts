import { describe, expect, it } from 'vitest';
import { isRecipientList } from '../../../src/streams/recipient-list.ts';

describe('a recipient', () => {
  it.each([
    ['email', '["ada@example.com","bob@example.com"]'],
    ['email', '["ada@example.com"]'],
    ['sms', '[]'],
    ['email', 'ada@example.com,bob@example.com'],
    ['email', 'ada@example.com; bob@example.com'],
    ['email', 'ada@example.com bob@example.com'],
    ['email', 'ada@example.com\nbob@example.com'],
    ['email', '"Doe, Ada" <ada@example.com>, Bob <bob@example.com>'],
    ['sms', '+79990000001,+79990000002'],
    ['telegram', '@ada;@bob'],
    ['push', 'token-1,token-2'],
    ['in-app', 'user-1, user-2'],
  ] as const)('of channel %s that reads %j is a list', (channel, recipient) => {
    expect(isRecipientList(channel, recipient)).toBe(true);
  });

  it.each([
    ['email', 'ada@example.com'],
    ['email', '"Doe, Ada; @home" <ada@example.com>'],
    ['email', 'Doe, Ada <ada@example.com>'],
    ['email', 'ada@[192.0.2.1]'],
    ['sms', '+7 999 000-00-01'],
    ['sms', '+79990000001,'],
    ['push', '{"endpoint":"https://push.example","keys":{"a":"1","b":"2"}}'],
    ['push', 'dGVzdA:APA91b_-x'],
    ['telegram', '-1001234567890'],
    ['max', '[not json]'],
  ] as const)('of channel %s that reads %j is one', (channel, recipient) => {
    expect(isRecipientList(channel, recipient)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { changedChannel } from '../../../src/app/channel-change.ts';
import { defaultChannelConfig } from '../../../src/domain/channel.ts';

const before = defaultChannelConfig('sms', 'main');

describe('changedChannel', () => {
  it('changes what the flags name and nothing else', () => {
    expect(changedChannel(before, {})).toEqual(before);
    expect(changedChannel(before, { enabled: false })).toEqual({ ...before, isEnabled: false });
    expect(
      changedChannel(before, { provider: 'sms-2', maxAttempts: '3', backoffJitter: '0.25', holdUntil: '1h' }),
    ).toEqual({
      ...before,
      providerKey: 'sms-2',
      maxAttempts: 3,
      backoff: { ...before.backoff, jitter: 0.25 },
      holdUntilMs: 3_600_000,
    });
  });

  it('takes a channel off its provider', () => {
    expect(changedChannel(before, { provider: '-' }).providerKey).toBeNull();
    expect(changedChannel(defaultChannelConfig('sms', null), {}).providerKey).toBeNull();
  });

  it('says everything that is out of bounds at once', () => {
    const flags = {
      maxAttempts: '0',
      backoffBase: '1h',
      backoffCap: '1m',
      backoffJitter: '1.5',
      provider: 'Sms Main',
    };
    expect(() => changedChannel(before, flags)).toThrow(
      /--provider.*\n.*--max-attempts.*\n.*--backoff-jitter.*\n.*cap of the backoff/,
    );
  });
});

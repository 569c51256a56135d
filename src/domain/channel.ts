// The channels that exist, and what operators may set for each. One configuration per channel, read at decision time.

export const CHANNELS = ['email', 'sms', 'push', 'telegram', 'max', 'whatsapp', 'viber', 'in-app'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Of a row whose cancel came before its request: it has no channel yet, and no configuration has this name. */
export const NO_CHANNEL = 'none' as string as Channel;

export function isChannel(name: string): name is Channel {
  return (CHANNELS as readonly string[]).includes(name);
}

export interface Backoff {
  readonly kind: 'fixed' | 'exponential';
  readonly baseMs: number;
  /** No wait is longer, jitter included. A provider's Retry-After is not bounded by it. */
  readonly capMs: number;
  /** Share of the wait that is added at random, 0 to 1. */
  readonly jitter: number;
}

export type OnUnknown = 'hold' | 'assume-sent' | 'resend';

export interface ChannelConfig {
  readonly channel: Channel;
  readonly isEnabled: boolean;
  /** Names an instance of an adapter; null: the channel has no provider yet. */
  readonly providerKey: string | null;
  /** Calls per budget including the first; at least 1. */
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  readonly onUnknown: OnUnknown;
  /** How long an unknown outcome waits for a webhook. */
  readonly holdUntilMs: number;
  /** Pace at which held notifications are released when the cause ends. */
  readonly releasePerSecond: number;
}

export const DEFAULT_BACKOFF: Backoff = { kind: 'exponential', baseMs: 30_000, capMs: 900_000, jitter: 0.1 };

/** What a channel gets when an operator sets only its provider. */
export function defaultChannelConfig(channel: Channel, providerKey: string | null): ChannelConfig {
  return {
    channel,
    isEnabled: true,
    providerKey,
    maxAttempts: 5,
    backoff: DEFAULT_BACKOFF,
    onUnknown: channel === 'telegram' ? 'assume-sent' : 'hold',
    holdUntilMs: 900_000,
    releasePerSecond: 50,
  };
}

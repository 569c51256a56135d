// How often a delivery is tried and how long between: what a team decides for its channel. It becomes the channel's configuration, which
// operators may change at any time.
import { type Channel, type ChannelConfig, defaultChannelConfig } from '../../domain/channel.ts';

export interface RetryPolicy {
  /** Calls, the first included; at least 1. */
  readonly maxAttempts: number;
  readonly firstWaitMs: number;
  /** Waits double up to this one. */
  readonly longestWaitMs: number;
  /** Share of a wait that is added at random, 0 to 1. */
  readonly jitter: number;
}

/** 5 attempts, 30 s doubling to 15 min. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 5,
  firstWaitMs: 30_000,
  longestWaitMs: 900_000,
  jitter: 0,
};

/** `attempts` calls, one right after another. */
export function immediate(attempts: number): RetryPolicy {
  return { maxAttempts: attempts, firstWaitMs: 0, longestWaitMs: 0, jitter: 0 };
}

/** The table keeps no wait of nothing. */
const SHORTEST_WAIT_MS = 1;

export function channelOf(policy: RetryPolicy, channel: Channel, providerKey: string): ChannelConfig {
  const baseMs = Math.max(SHORTEST_WAIT_MS, policy.firstWaitMs);
  return {
    ...defaultChannelConfig(channel, providerKey),
    maxAttempts: policy.maxAttempts,
    backoff: {
      kind: 'exponential',
      baseMs,
      capMs: Math.max(baseMs, policy.longestWaitMs),
      jitter: policy.jitter,
    },
  };
}

/** The flags of `pin channel set` that say the same. */
export function channelFlags(policy: RetryPolicy): readonly string[] {
  const { maxAttempts, backoff } = channelOf(policy, 'email', '-');
  return [
    ...['--max-attempts', String(maxAttempts), '--backoff', backoff.kind],
    ...['--backoff-base', `${backoff.baseMs}ms`, '--backoff-cap', `${backoff.capMs}ms`],
    ...['--backoff-jitter', String(backoff.jitter)],
  ];
}

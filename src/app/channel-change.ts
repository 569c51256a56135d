// The flags of `pin channel set` laid over a channel's configuration. What is out of bounds is said all at once.
import type { ChannelConfig, OnUnknown } from '../domain/channel.ts';
import { duration, positiveNumber, textLike, type ValueSchema, wholeNumber } from './config/value-schemas.ts';
import { usage } from './report-failure.ts';

export interface ChannelFlags {
  readonly enabled?: boolean;
  readonly provider?: string;
  readonly maxAttempts?: string;
  readonly backoff?: 'fixed' | 'exponential';
  readonly backoffBase?: string;
  readonly backoffCap?: string;
  readonly backoffJitter?: string;
  readonly onUnknown?: OnUnknown;
  readonly holdUntil?: string;
  readonly releasePerSecond?: string;
}

const DAY_MS = 86_400_000;
const NO_PROVIDER = '-';

/** @throws Fault USAGE with every problem */
export function changedChannel(before: ChannelConfig, flags: ChannelFlags): ChannelConfig {
  const problems: string[] = [];
  const read = <T>(flag: string, text: string | undefined, schema: ValueSchema<T>, otherwise: T): T => {
    if (text === undefined) return otherwise;
    const answer = schema.safeParse(text);
    if (answer.success) return answer.data;
    problems.push(
      `${flag}: ${JSON.stringify(text)} ${answer.error.issues.map(({ message }) => message).join(', ')}`,
    );
    return otherwise;
  };
  const provider = read(
    '--provider',
    flags.provider,
    textLike(/^(-|[a-z0-9]+(-[a-z0-9]+)*)$/, 'a provider name such as sms-main, or -'),
    before.providerKey ?? NO_PROVIDER,
  );
  const after: ChannelConfig = {
    channel: before.channel,
    isEnabled: flags.enabled ?? before.isEnabled,
    providerKey: provider === NO_PROVIDER ? null : provider,
    maxAttempts: read('--max-attempts', flags.maxAttempts, wholeNumber(1, 100), before.maxAttempts),
    backoff: {
      kind: flags.backoff ?? before.backoff.kind,
      baseMs: read('--backoff-base', flags.backoffBase, duration(1, DAY_MS), before.backoff.baseMs),
      capMs: read('--backoff-cap', flags.backoffCap, duration(1, DAY_MS), before.backoff.capMs),
      jitter: read('--backoff-jitter', flags.backoffJitter, JITTER, before.backoff.jitter),
    },
    onUnknown: flags.onUnknown ?? before.onUnknown,
    holdUntilMs: read('--hold-until', flags.holdUntil, duration(1_000, 30 * DAY_MS), before.holdUntilMs),
    releasePerSecond: read(
      '--release-per-second',
      flags.releasePerSecond,
      positiveNumber(10_000),
      before.releasePerSecond,
    ),
  };
  if (after.backoff.capMs < after.backoff.baseMs)
    problems.push('the cap of the backoff is shorter than its base');
  if (problems.length > 0)
    throw usage(`the channel stays as it is:${problems.map((problem) => `\n  ${problem}`).join('')}\n`);
  return after;
}

const JITTER: ValueSchema<number> = textLike(
  /^(0(\.\d{1,4})?|1(\.0{1,4})?)$/,
  'a number from 0 to 1',
).transform(Number) as ValueSchema<number>;

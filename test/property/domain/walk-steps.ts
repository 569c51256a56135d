// Arbitrary walks: the settings of a world and what happens in it.
import fc from 'fast-check';
import type { ChannelConfig } from '../../../src/domain/channel.ts';
import type { Fate, Step, WalkSetup } from './walk-state.ts';

const FATES: readonly Fate[] = [
  'accept',
  'accept-lost',
  'accept-lost',
  'refuse-lost',
  'transient',
  'transient',
  'rate-limited',
  'refused',
  'misconfigured',
  'not-implemented',
];

const setups: fc.Arbitrary<WalkSetup> = fc
  .record({
    capability: fc.constantFrom('key', 'lookup', 'replace', 'none'),
    windowMs: fc.constantFrom(null, null, 120_000, 120_000, 600_000),
    visibilityDelayMs: fc.constantFrom(0, 5_000, 100_000),
    mayResend: fc.constantFrom(true, false, false),
    isResend: fc.boolean(),
    onUnknown: fc.constantFrom('hold', 'assume-sent'),
    maxAttempts: fc.integer({ min: 1, max: 4 }),
    notBeforeInMs: fc.option(fc.constantFrom(1, 50_000, 2_000_000)),
    silenceMs: fc.constantFrom(0, 0, 60_000, 100_000, 550_000),
    lastProviderKey: fc.constantFrom('mail', 'mail-2'),
    notAfterInMs: fc.option(fc.constantFrom(0, 30_000, 300_000, 3_000_000), { freq: 2 }),
  })
  .map(({ isResend, onUnknown, ...rest }) => ({
    ...rest,
    onUnknown: rest.mayResend && isResend ? 'resend' : onUnknown,
  }));

const pick = fc.nat({ max: 7 });

const configs = (setup: WalkSetup): fc.Arbitrary<Partial<ChannelConfig> | null> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.boolean().map((isEnabled) => ({ isEnabled })) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom('mail', 'mail', 'mail-2', 'stub', null)
        .map((providerKey) => ({ providerKey })),
    },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }).map((maxAttempts) => ({ maxAttempts })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('hold', 'assume-sent', setup.mayResend ? 'resend' : 'hold')
        .map((onUnknown) => ({ onUnknown })),
    },
  );

const anyStep = (setup: WalkSetup): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('start'), pick, fate: fc.constantFrom(...FATES) }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('answer'), pick }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('wake'),
        when: fc.constantFrom('until-due', 'until-due', 'until-due', 'now', 'stale'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('advance'),
        ms: fc.constantFrom(1, 1_000, 20_000, 45_000, 200_000, 1_000_000),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('look-up'), isUnavailable: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('die'), pick }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('release', 'repeat'), pick }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('configure'), over: configs(setup) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('gate'),
        closedForMs: fc.constantFrom(0, 0, 10_000, 500_000),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('report'),
        pick,
        verdict: fc.constantFrom('delivered', 'failed', 'failed', 'complained', 'read'),
        isHard: fc.boolean(),
        echoes: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('command'),
        ask: fc.constantFrom('cancel', 'redrive', 'redrive', 'release', 'close', 'mark-read'),
        isForced: fc.boolean(),
        cycleOff: fc.constantFrom(null, null, 0, -1),
        isRepeat: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('publish'), isMarked: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('draw'),
        fraction: fc.double({ min: 0, max: 0.999, noNaN: true }),
      }),
    },
  ) as fc.Arbitrary<Step>;

export interface AnyWalk {
  readonly setup: WalkSetup;
  readonly steps: readonly Step[];
}

/** Long walks mostly end in their middle; short ones leave something open for the time after. */
export const walks: fc.Arbitrary<AnyWalk> = setups.chain((setup) => {
  const step = anyStep(setup);
  const short = fc.array(step, { maxLength: 8, size: 'max' });
  const long = fc.array(step, { maxLength: 40, size: 'max' });
  return fc.oneof(short, long).map((steps) => ({ setup, steps }));
});

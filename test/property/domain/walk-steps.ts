// Arbitrary walks: the settings of a world and what happens in it.
import fc from 'fast-check';
import type { ChannelConfig } from '../../../src/domain/channel.ts';
import type { CommandKind } from '../../../src/domain/notification-command.ts';
import type { Fate, ReportStep, Step, WalkSetup } from './walk-state.ts';

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

/** Calls that nobody heard of, and what is told of their messages. */
const DOUBTFUL: readonly Fate[] = ['accept-lost', 'accept-lost', 'accept-lost', 'refuse-lost', 'transient'];

const capabilities = fc.constantFrom('key', 'lookup', 'replace', 'none');

/** What lets several calls be in doubt at once. */
const MANY_CALLS = { mayResend: true, notBeforeInMs: null, notAfterInMs: null };

const setups: fc.Arbitrary<WalkSetup> = fc
  .record({
    capability: capabilities,
    otherCapability: capabilities,
    style: fc.constantFrom('any', 'doubtful', 'attempts', 'attempts'),
    echoes: fc.constantFrom(true, false, null),
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
  .map(({ isResend, onUnknown, ...drawn }) => {
    const isKeyed = drawn.capability === 'key' || drawn.capability === 'lookup';
    const capability = isKeyed && isResend ? 'none' : drawn.capability;
    const rest = drawn.style === 'attempts' ? { ...drawn, ...MANY_CALLS, capability } : drawn;
    return { ...rest, onUnknown: rest.mayResend && isResend ? 'resend' : onUnknown };
  });

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

const starts = (fates: readonly Fate[]) =>
  fc.record({ kind: fc.constant('start'), pick, fate: fc.constantFrom(...fates) });
const answers = fc.record({ kind: fc.constant('answer'), pick });
const deaths = fc.record({ kind: fc.constant('die'), pick });
const wakes = (...when: ('until-due' | 'now' | 'stale')[]) =>
  fc.record({ kind: fc.constant('wake'), when: fc.constantFrom(...when) });
const lookUps = fc.record({ kind: fc.constant('look-up'), isUnavailable: fc.boolean() });
const reports = ({ echoes }: WalkSetup): fc.Arbitrary<ReportStep> =>
  fc.record({
    kind: fc.constant('report'),
    pick,
    verdict: fc.constantFrom('delivered', 'failed', 'failed', 'complained', 'read'),
    isHard: fc.boolean(),
    echoes: echoes === null ? fc.boolean() : fc.constant(echoes),
  });
const commands = (...ask: CommandKind[]) =>
  fc.record({
    kind: fc.constant('command'),
    ask: fc.constantFrom(...ask),
    isForced: fc.boolean(),
    cycleOff: fc.constantFrom(null, null, 0, -1),
    isRepeat: fc.boolean(),
  });
const configurations = (setup: WalkSetup) =>
  fc.record({ kind: fc.constant('configure'), over: configs(setup) });

const anyStep = (setup: WalkSetup): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 6, arbitrary: starts(FATES) },
    { weight: 6, arbitrary: answers },
    { weight: 6, arbitrary: wakes('until-due', 'until-due', 'until-due', 'now', 'stale') },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('advance'),
        ms: fc.constantFrom(1, 1_000, 20_000, 45_000, 200_000, 1_000_000),
      }),
    },
    { weight: 2, arbitrary: lookUps },
    { weight: 2, arbitrary: deaths },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('release', 'repeat'), pick }) },
    { weight: 2, arbitrary: configurations(setup) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('gate'),
        closedForMs: fc.constantFrom(0, 0, 10_000, 500_000),
      }),
    },
    { weight: 4, arbitrary: reports(setup) },
    {
      weight: 2,
      arbitrary: commands('cancel', 'redrive', 'redrive', 'release', 'close', 'mark-read'),
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

/** Several calls in doubt at once need many steps of few kinds. */
const doubtfulStep = (setup: WalkSetup): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('attempt'), fate: fc.constantFrom(...DOUBTFUL) }),
    },
    { weight: 2, arbitrary: wakes('until-due') },
    { weight: 2, arbitrary: starts([...DOUBTFUL, 'accept', 'accept']) },
    { weight: 2, arbitrary: answers },
    { weight: 3, arbitrary: reports(setup) },
    { weight: 2, arbitrary: lookUps },
    { weight: 1, arbitrary: deaths },
    { weight: 1, arbitrary: configurations(setup) },
    { weight: 1, arbitrary: commands('redrive', 'cancel') },
  ) as fc.Arbitrary<Step>;

const only = (step: Step): readonly Step[] => [step];

/** Nothing, `weight` times as often. */
const seldom = (weight: number, steps: fc.Arbitrary<readonly Step[]>): fc.Arbitrary<readonly Step[]> =>
  fc.oneof({ weight, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: steps });

/** Called, told of before the answer, answered or not, told of after it, and the next one due; in between somebody may ask for something. */
const wholeAttempt = (setup: WalkSetup): fc.Arbitrary<readonly Step[]> => {
  const told = seldom(2, fc.array(reports(setup), { minLength: 1, maxLength: 2 }));
  const asked = seldom(4, fc.oneof(commands('cancel', 'redrive'), configurations(setup)).map(only));
  const call = starts([...DOUBTFUL, 'accept', 'accept']);
  const ends = fc.oneof({ weight: 3, arbitrary: answers }, { weight: 1, arbitrary: deaths });
  return fc.tuple(call, told, asked, ends, told, wakes('until-due'), lookUps).map((parts) => parts.flat());
};

export interface AnyWalk {
  readonly setup: WalkSetup;
  readonly steps: readonly Step[];
  /** Told after the end. */
  readonly late: readonly ReportStep[];
}

/** Long walks mostly end in their middle; short ones leave something open for the time after. */
export const walks: fc.Arbitrary<AnyWalk> = setups.chain((setup) => {
  const late = fc.array(reports(setup), { maxLength: 6 });
  return fc.tuple(stepsOf(setup), late).map(([steps, told]) => ({ setup, steps, late: told }));
});

function stepsOf(setup: WalkSetup): fc.Arbitrary<readonly Step[]> {
  if (setup.style === 'attempts')
    return fc.array(wholeAttempt(setup), { maxLength: 5, size: 'max' }).map((parts) => parts.flat());
  const step = setup.style === 'doubtful' ? doubtfulStep(setup) : anyStep(setup);
  const short = fc.array(step, { maxLength: 8, size: 'max' });
  const long = fc.array(step, { maxLength: 40, size: 'max' });
  return fc.oneof(short, long);
}

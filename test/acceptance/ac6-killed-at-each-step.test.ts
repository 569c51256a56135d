// A process is killed with −9 while notifications of every kind of provider stand at one step of their walk; the next process takes over,
// and is killed in its turn. On real servers; judged by the vendors' ledgers, the topic's bytes and the table. AC6_ROUNDS: kills per step.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Channel, OnUnknown } from '../../src/domain/channel.ts';
import type { NotificationId } from '../../src/domain/notification-id.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { type HttpVendor, startHttpVendor } from '../../src/lab/http-vendor.ts';
import type { VendorCapability } from '../../src/lab/vendor-desk.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemTimers } from '../../src/runtime/timers.ts';
import { builtProgram } from '../support/built-program.ts';
import { freshRequest } from '../support/fresh-request.ts';
import type { MortalStep } from '../support/mortal-processor.ts';
import {
  allEnded,
  endingOf,
  messagesOf,
  uncommittedRequests,
  whereabouts,
} from '../support/notification-ending.ts';
import { type PinProcess, startNode, startPin } from '../support/pin-process.ts';
import { openRealWorld, type RealWorld, testChannel } from '../support/real-service.ts';
import { until } from '../support/until.ts';

/** What can be known of a call whose answer is lost: what the provider can do, and where it can do nothing, what the channel wants. */
type Kind = 'key' | 'lookup' | 'replace' | 'none, hold' | 'none, assume-sent' | 'none, resend';

interface KindSetUp {
  readonly channel: Channel;
  readonly capability: VendorCapability;
  readonly policy?: { readonly onUnknown: OnUnknown; readonly holdUntilMs?: number };
}

const KINDS: Readonly<Record<Kind, KindSetUp>> = {
  key: { channel: 'email', capability: 'key' },
  lookup: { channel: 'whatsapp', capability: 'lookup' },
  replace: { channel: 'push', capability: 'replace' },
  'none, hold': { channel: 'sms', capability: 'none', policy: { onUnknown: 'hold', holdUntilMs: 2_000 } },
  'none, assume-sent': { channel: 'max', capability: 'none', policy: { onUnknown: 'assume-sent' } },
  'none, resend': { channel: 'viber', capability: 'none', policy: { onUnknown: 'resend' } },
};

type Ends = 'Sent accepted' | 'Sent assumed' | 'Failed NTF_OUTCOME_UNKNOWN';
/** Ends as · messages · calls · attempts · possible duplicates. */
type Ending = readonly [Ends, number, number, number, number];

const ONCE: Ending = ['Sent accepted', 1, 1, 1, 0];
const NO_DIFFERENCE: Readonly<Record<Kind, Ending>> = {
  key: ONCE,
  lookup: ONCE,
  replace: ONCE,
  'none, hold': ONCE,
  'none, assume-sent': ONCE,
  'none, resend': ONCE,
};

interface StepSpec {
  readonly killed: string;
  /** What the dead process leaves: the row · messages · outcomes on the topic. */
  readonly leaves: readonly ['no row' | 'claimed' | 'outcome owed' | 'outcome marked', number, number];
  /** At least so many records of each outcome in the end. */
  readonly outcomes: number;
  readonly ends: Readonly<Record<Kind, Ending>>;
}

const STEPS: Readonly<Record<MortalStep, StepSpec>> = {
  'before-claim': {
    killed: 'before the claim',
    leaves: ['no row', 0, 0],
    outcomes: 1,
    ends: NO_DIFFERENCE,
  },
  'after-claim': {
    killed: 'after the claim, with nothing sent',
    leaves: ['claimed', 0, 0],
    outcomes: 1,
    ends: {
      key: ['Sent accepted', 1, 1, 1, 0],
      lookup: ['Sent accepted', 1, 1, 2, 0],
      replace: ['Sent accepted', 1, 1, 1, 0],
      'none, hold': ['Failed NTF_OUTCOME_UNKNOWN', 0, 0, 1, 0],
      'none, assume-sent': ['Sent assumed', 0, 0, 1, 0],
      'none, resend': ['Sent accepted', 1, 1, 2, 1],
    },
  },
  'after-ledger': {
    killed: 'after the provider wrote its ledger',
    leaves: ['claimed', 1, 0],
    outcomes: 1,
    ends: {
      key: ['Sent accepted', 1, 2, 1, 0],
      lookup: ['Sent accepted', 1, 1, 1, 0],
      replace: ['Sent accepted', 1, 2, 1, 0],
      'none, hold': ['Failed NTF_OUTCOME_UNKNOWN', 1, 1, 1, 0],
      'none, assume-sent': ['Sent assumed', 1, 1, 1, 0],
      'none, resend': ['Sent accepted', 2, 2, 2, 1],
    },
  },
  'after-settle': {
    killed: 'after the settle, with nothing published',
    leaves: ['outcome owed', 1, 0],
    outcomes: 1,
    ends: NO_DIFFERENCE,
  },
  'after-publish': {
    killed: 'after the outcome was acknowledged, before its mark',
    leaves: ['outcome owed', 1, 1],
    outcomes: 2,
    ends: NO_DIFFERENCE,
  },
  'before-offset-commit': {
    killed: 'before the offset was committed',
    leaves: ['outcome marked', 1, 1],
    outcomes: 1,
    ends: NO_DIFFERENCE,
  },
};

const ROUNDS = Number(process.env['AC6_ROUNDS'] ?? '2');
/** Notifications of each kind that one kill hits. */
const TOGETHER = 3;
/** Much longer than an answer takes, however busy the machine: a call that is lost was lost by a kill. */
const DEADLINE_S = 6;
/** As start wants it: flush, deadline and reserve. */
const LEASE_S = 10 + DEADLINE_S + 10;
/** No sweep comes to help: whoever reads a request again must do all that is owed. */
const SWEEP_PERIOD = '60m';
/** From the kill on: session, start, lease and hold, on a busy machine. */
const TAKEN_OVER_WITHIN_MS = 120_000;
const TEST_LIMIT_MS = 60_000 + (ROUNDS + 1) * TAKEN_OVER_WITHIN_MS;

vi.setConfig({ testTimeout: TEST_LIMIT_MS, maxConcurrency: Object.keys(STEPS).length });

let mortalProgram: string;
let vendors: readonly (readonly [VendorCapability, HttpVendor])[];
let ledgers: readonly HttpVendor[];
const living = new Set<PinProcess>();
beforeAll(async () => {
  mortalProgram = builtProgram(new URL('../support/mortal-processor.ts', import.meta.url));
  const deps = { clock: systemClock, timers: systemTimers };
  const capabilities = new Set(Object.values(KINDS).map(({ capability }) => capability));
  vendors = await Promise.all(
    [...capabilities].map(
      async (capability) =>
        [capability, await startHttpVendor(deps, { capability, idPrefix: `${capability}-` })] as const,
    ),
  );
  ledgers = vendors.map(([, vendor]) => vendor);
});
afterAll(async () => {
  await Promise.all([...living].map((one) => one.end('SIGKILL')));
  await Promise.all(ledgers.map((vendor) => vendor.close()));
});

describe.concurrent('AC6', () => {
  for (const [step, spec] of Object.entries(STEPS) as [MortalStep, StepSpec][])
    test(`AC6 killed ${spec.killed}: no message too many, each outcome published`, async () => {
      const startedMs = systemClock.monotonicMs();
      const world = await openWorld();
      try {
        const casts: Cast[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const cast = freshCast();
          await killStandingAt(world, step, cast, casts.at(-1) ?? new Map());
          casts.push(cast);
        }
        await survive(world, spec, casts.at(-1) ?? new Map());
        const figures = await audit(world, spec, new Map(casts.flatMap((cast) => [...cast])));
        const tookMs = systemClock.monotonicMs() - startedMs;
        console.log(`AC6 ${step}: ${ROUNDS} kills, ${figures}, ${Math.round(tookMs / 1_000)} s`);
      } finally {
        await world.stop();
      }
    });
});

/** The notifications that one kill hits. */
type Cast = ReadonlyMap<NotificationId, Kind>;

function freshCast(): Cast {
  const kinds = Object.keys(KINDS) as Kind[];
  return new Map(
    kinds.flatMap((kind) =>
      Array.from({ length: TOGETHER }, () => [freshRequest().notificationId, kind] as const),
    ),
  );
}

function openWorld(): Promise<RealWorld> {
  return openRealWorld({
    channels: Object.values(KINDS).map(({ channel, capability, policy }) =>
      testChannel(channel, { providerKey: capability, ...policy }),
    ),
    variables: {
      PIN_PROVIDER_VENDOR_DEADLINE: `${DEADLINE_S}s`,
      PIN_LEASE: `${LEASE_S}s`,
      PIN_SWEEP_PERIOD: SWEEP_PERIOD,
      PIN_STOP_LIMIT: '15s',
      PIN_HTTP_ADDR: '127.0.0.1:0',
      PIN_LOG_LEVEL: 'info',
      ...Object.fromEntries(vendors.flatMap(([capability, { url }]) => vendorSettings(capability, url))),
    },
  });
}

function vendorSettings(capability: VendorCapability, url: string): readonly (readonly [string, string])[] {
  const prefix = `PIN_PROVIDER_${capability.toUpperCase()}`;
  return [
    [`${prefix}_ADAPTER`, 'http'],
    [`${prefix}_URL`, url],
    [`${prefix}_CAPABILITY`, capability],
    [`${prefix}_DEADLINE`, `${DEADLINE_S}s`],
  ];
}

/** Starts a process, lets it end what the one before left behind, brings `cast` to the step, and kills it there. */
async function killStandingAt(world: RealWorld, step: MortalStep, cast: Cast, before: Cast): Promise<void> {
  const mortal = startNode([mortalProgram], {
    ...world.environment.variables,
    MORTAL_STEP: step,
    MORTAL_IDS: [...cast.keys()].join(','),
  });
  living.add(mortal);
  await allEnded(world, [...before.keys()], TAKEN_OVER_WITHIN_MS);
  await Promise.all([...cast].map(([id, kind]) => world.send(requestOf(id, kind))));
  await mortal.logged('mortal.standing');
  expect(await mortal.end('SIGKILL')).toMatchObject({ code: null });
  living.delete(mortal);
  for (const [id, kind] of cast) {
    const found = await leftBehind(world, id, STEPS[step].leaves[2]);
    expect([kind, ...found]).toEqual([kind, ...STEPS[step].leaves]);
  }
  expect(await uncommittedRequests(world)).toBeGreaterThanOrEqual(cast.size);
}

function requestOf(notificationId: NotificationId, kind: Kind): NotificationRequest {
  const { channel } = KINDS[kind];
  const recipient = channel === 'email' ? 'ada@example.com' : '+15550100';
  return freshRequest({ notificationId, channel, recipient });
}

async function leftBehind(
  world: RealWorld,
  id: NotificationId,
  outcomes: number,
): Promise<readonly unknown[]> {
  const records = await world.seen.atLeast(world.topics.dispatched, id, outcomes);
  return [whereabouts(await world.row(id)), messagesOf(ledgers, id).length, records.length];
}

/** The last process is `pin run` itself: it lives to tell what it counted, and leaves nothing uncommitted. */
async function survive(world: RealWorld, spec: StepSpec, last: Cast): Promise<void> {
  const survivor = startPin(['run', 'processor'], { ...world.environment.variables });
  living.add(survivor);
  const [{ http }] = await Promise.all([
    survivor.logged('process.started'),
    allEnded(world, [...last.keys()], TAKEN_OVER_WITHIN_MS),
  ]);
  await until('every offset to be committed', async () =>
    (await uncommittedRequests(world)) === 0 ? true : null,
  );
  const page = await (await fetch(`${String(http)}/metrics`)).text();
  for (const [kind, { channel }] of Object.entries(KINDS) as [Kind, KindSetUp][]) {
    const counted = new RegExp(`^pin_possible_duplicates_total{channel="${channel}"} (.*)$`, 'm').exec(page);
    expect([kind, Number(counted?.[1] ?? 0)]).toEqual([kind, spec.ends[kind][4] * TOGETHER]);
  }
  await survivor.end('SIGTERM');
  living.delete(survivor);
}

/** Compares every notification of all rounds with the table above. */
async function audit(world: RealWorld, { ends, outcomes }: StepSpec, casts: Cast): Promise<string> {
  const findings: string[] = [];
  const sum = { calls: 0, messages: 0, resends: 0, repeats: 0 };
  for (const [id, kind] of casts) {
    const found = await endingOf(world, ledgers, id);
    const { messages, calls, attempts, resends, records, contradictions } = found;
    const ending: Ending = [found.ends as Ends, messages, calls, attempts, resends];
    if (String(ending) !== String(ends[kind]))
      findings.push(`${kind} ${id}: ended ${String(ending)}, not ${String(ends[kind])}; ${found.trail}`);
    if (records < outcomes) findings.push(`${kind} ${id}: ${records} records of its outcome`);
    findings.push(...contradictions.map((words) => `${kind} ${id}: ${words}; ${found.trail}`));
    sum.calls += calls;
    sum.messages += messages;
    sum.resends += resends;
    sum.repeats += records - 1;
  }
  expect(findings).toEqual([]);
  expect(world.deadLetters()).toHaveLength(0);
  expect(await world.query('select * from quarantine')).toHaveLength(0);
  return `${casts.size} notifications, ${sum.calls} calls, ${sum.messages} messages, ${sum.resends} possible duplicates, ${sum.repeats} repeated outcomes`;
}

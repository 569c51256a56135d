// Processes join, stop, die and are thrown out in any order while requests come, providers fail or are slow, acknowledgements are lost and
// the store is away: every request ends in one message and one outcome, its attempts in order, and all that was read is committed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SendFate } from '../../../src/broker/memory/producer.ts';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import type { ScriptStep } from '../../../src/providers/scripted/script.ts';
import { Fault } from '../../../src/runtime/fault.ts';
import { notificationTopology } from '../../../src/topology/graph.ts';
import { type Processor, type ProcessorPorts, startProcessor } from '../../../src/topology/processor.ts';
import { TEST_SETTINGS } from '../../../src/topology/test-driver.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import {
  type Driven,
  type DriveOptions,
  drive,
  everythingIsDone,
  mortal,
  outcomes,
  settled,
} from '../../unit/topology/driving.ts';
import {
  command,
  expectConsistent,
  harmful,
  harmless,
  type OutsideMove,
  replay,
  report,
  rowsOf,
} from './from-outside.ts';

type Move =
  | { readonly kind: 'request'; readonly steps: readonly ScriptStep[] }
  | { readonly kind: 'join' | 'stop' | 'kill' | 'expel' | 'release' | 'store-away' | 'store-back' }
  | OutsideMove
  | { readonly kind: 'log-trouble'; readonly fates: readonly SendFate[] }
  | { readonly kind: 'wait'; readonly ms: number };

const steps = fc.array(
  fc.constantFrom<ScriptStep>(
    { kind: 'transient', providerCode: '503' },
    { kind: 'unknown', phase: 'sent', providerCode: null },
    { kind: 'accept-then-unknown' },
    { kind: 'misconfigured', providerCode: '401' },
    { kind: 'wait' },
    { kind: 'connect-slowly' },
  ),
  { maxLength: 2 },
);
const fates = fc.array(fc.constantFrom<SendFate>('ok', 'lost-ack', 'fail'), { minLength: 1, maxLength: 6 });
const calmMoves: readonly fc.WeightedArbitrary<Move>[] = [
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('request' as const), steps }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('join', 'stop', 'kill', 'expel') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('release', 'store-away', 'store-back') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('log-trouble' as const), fates }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 50_000 }) }),
  },
];

interface Member {
  readonly processId: string;
  readonly processor: Processor;
  readonly kill: () => Promise<void>;
}

/** Few ticks of the background, so that an hour costs little. */
const SETTINGS = {
  commitPeriodMs: 5_000,
  channelPollMs: 20_000,
  maxInFlight: 3,
  maxBufferedRecords: 3,
  maxHeapEntries: 2,
  // Calls here have no deadline and may wait for longer than the watchdog allows.
  watchdogMs: 7_200_000,
};
const MAX_MEMBERS = 3;

/** Only the first of the members ends, and never the last one. */
async function openCast(driver: Driven, store: { isAway: boolean }) {
  const members: Member[] = [];
  let joined = 0;
  let requested = 0;
  const join = async () => {
    if (members.length === MAX_MEMBERS || store.isAway) return;
    joined += 1;
    const processId = `member-${joined}`;
    const { ports, kill } = mortal(driver.ports);
    const started = startProcessor(ports, notificationTopology(driver.topics), {
      ...TEST_SETTINGS,
      ...SETTINGS,
      processId,
    });
    members.push({ processId, processor: await settled(driver, started), kill });
  };
  const leave = async (end: (member: Member) => Promise<void>) => {
    const leaving = members.length > 1 ? members.shift() : undefined;
    if (leaving === undefined) return;
    const left = end(leaving);
    // A stop may take as long as a call that does not end.
    await driver.time.advance(TEST_SETTINGS.stopLimitMs + 1_000);
    await left;
  };
  const request = async (steps: readonly ScriptStep[]) => {
    requested += 1;
    driver.mail.addStepsFor(anId(requested), ...steps);
    await driver.request(aRequest({ notificationId: anId(requested) }));
  };
  await join();
  await settled(driver, driver.processor.stop());
  return {
    members,
    requested: () => requested,
    play(move: Move): Promise<void> {
      switch (move.kind) {
        case 'request':
          return request(move.steps);
        case 'wait':
          return driver.time.advance(move.ms);
        case 'join':
          return join();
        case 'stop':
          return leave(({ processor }) => processor.stop());
        case 'release':
          driver.mail.release();
          return driver.time.settle();
        case 'store-away':
        case 'store-back':
          store.isAway = move.kind === 'store-away';
          return driver.time.settle();
        case 'report':
          return report(driver, move);
        case 'command':
          return command(driver, move);
        case 'log-trouble':
          failSends(driver, move.fates);
          return driver.time.settle();
        case 'kill':
          return leave(({ kill }) => kill());
        default:
          driver.log.expel(members[0]?.processId ?? '');
          return driver.time.settle();
      }
    },
  };
}

const AWAY = new Fault('STATE_UNAVAILABLE', 'away', { retriable: true });

/** Reads fail while the store is away; writes would wait in its own queue. */
function shaky(store: { isAway: boolean }) {
  return (ports: ProcessorPorts): ProcessorPorts => ({
    ...ports,
    store: {
      ...ports.store,
      load: (ids) => (store.isAway ? Promise.reject(AWAY) : ports.store.load(ids)),
      overdue: (page) => (store.isAway ? Promise.reject(AWAY) : ports.store.overdue(page)),
    },
  });
}

/** The fates of the next sends of ours. */
function failSends(driver: Driven, fates: readonly SendFate[]): void {
  const left = [...fates];
  driver.log.beforeSend(({ topic }) => (isAsked(driver, topic) ? 'ok' : (left.shift() ?? 'ok')));
}

/** The test's own sends. */
function isAsked({ topics }: Driven, topic: string): boolean {
  return topic === topics.requested || topic === topics.webhooks || topic === topics.commands;
}

/** Plays the moves, lets everything come to rest, and says which ids were asked for. */
async function playToTheEnd(moves: readonly Move[], options: DriveOptions) {
  const store = { isAway: false };
  const driver = await drive({ ...options, around: shaky(store) });
  const cast = await openCast(driver, store);
  for (const one of moves) await cast.play(one);
  store.isAway = false;
  for (let minute = 0; minute < 12; minute += 1) {
    driver.mail.release();
    await driver.time.advance(60_000);
  }
  expect(cast.members.map(({ processor }) => processor.state())).not.toContain('failed');
  expect(everythingIsDone(driver)).toBe(true);
  const ids = Array.from({ length: cast.requested() }, (_, index) => anId(index + 1));
  return { driver, ids };
}

/** Each id has outcome 1, Sent, in the table and on the topic; repeats are equal. */
async function expectAllSent(driver: Driven, ids: readonly NotificationId[]): Promise<void> {
  const published = new Map<string, string>();
  for (const outcome of await outcomes(driver)) {
    const bytes = JSON.stringify(outcome);
    expect(published.get(outcome.notificationId) ?? bytes).toBe(bytes);
    published.set(outcome.notificationId, bytes);
    expect(outcome).toMatchObject({ status: 'Sent', outcomeSeq: 1 });
  }
  expect([...published.keys()].sort()).toEqual(ids);
  for (const id of ids) {
    const calls = driver.mail.calls.filter(({ call }) => call.reference === id);
    const attempts = calls.map(({ call }) => call.attempt);
    expect(attempts).toEqual([...attempts].sort((a, b) => a - b));
    expect(await driver.row(id)).toMatchObject({ status: 'Sent', publishedSeq: 1, wakeAtMs: null });
  }
}

const playsOf = (...moves: readonly fc.WeightedArbitrary<Move>[]) =>
  fc.array(fc.oneof(...calmMoves, ...moves), { minLength: 3, maxLength: 25 });
const plays = playsOf(...harmless);

test('every request ends in one message and one outcome, however often its owner changes', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async (moves) => {
      const { driver, ids } = await playToTheEnd(moves, { facts: { maxConcurrency: 2 } });
      await expectAllSent(driver, ids);
      expect(driver.mail.messages.map(({ reference }) => reference).sort()).toEqual(ids);
    }),
    { numRuns: 20 },
  );
}, 60_000);

test('where a call cannot be repeated safely nobody gets two messages', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async (moves) => {
      const facts = { maxConcurrency: 2, capability: 'none' } as const;
      const config = { onUnknown: 'assume-sent' } as const;
      const { driver, ids } = await playToTheEnd(moves, { facts, config });
      await expectAllSent(driver, ids);
      const references = driver.mail.messages.map(({ reference }) => reference);
      expect(new Set(references).size).toBe(references.length);
    }),
    { numRuns: 10 },
  );
}, 60_000);

test('failures reported later, cancels and redrives keep one current end for each, and a replay of everything changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(playsOf(...harmful), async (moves) => {
      const { driver, ids } = await playToTheEnd(moves, { facts: { maxConcurrency: 2 } });
      await expectConsistent(driver, ids);
      const cycles = driver.mail.messages.map(({ reference, cycle }) => `${reference} ${cycle}`);
      expect(new Set(cycles).size).toBe(cycles.length);
      expect(await settled(driver, driver.store.joinable(500))).toEqual([]);
      const before = { rows: await rowsOf(driver, ids), calls: driver.mail.calls.length };
      await replay(driver);
      expect({ rows: await rowsOf(driver, ids), calls: driver.mail.calls.length }).toEqual(before);
      await expectConsistent(driver, ids);
    }),
    { numRuns: 20 },
  );
}, 60_000);

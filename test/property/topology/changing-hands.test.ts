// Processes join, stop, die and are thrown out in any order while requests come and providers fail: every request ends in one message
// and one outcome, its attempts in order, and in the end everything that was read is committed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ScriptStep } from '../../../src/providers/scripted/script.ts';
import { notificationTopology } from '../../../src/topology/graph.ts';
import { type Processor, startProcessor } from '../../../src/topology/processor.ts';
import { TEST_SETTINGS } from '../../../src/topology/test-driver.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import {
  type Driven,
  drive,
  everythingIsDone,
  mortal,
  outcomes,
  settled,
} from '../../unit/topology/driving.ts';

type Move =
  | { readonly kind: 'request'; readonly steps: readonly ScriptStep[] }
  | { readonly kind: 'join' | 'stop' | 'kill' | 'expel' }
  | { readonly kind: 'wait'; readonly ms: number };

const steps = fc.array(
  fc.constantFrom<ScriptStep>(
    { kind: 'transient', providerCode: '503' },
    { kind: 'unknown', phase: 'sent', providerCode: null },
    { kind: 'accept-then-unknown' },
    { kind: 'misconfigured', providerCode: '401' },
  ),
  { maxLength: 2 },
);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('request' as const), steps }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('join', 'stop', 'kill', 'expel') }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 50_000 }) }),
  },
);

interface Member {
  readonly processId: string;
  readonly processor: Processor;
  readonly kill: () => Promise<void>;
}

/** Few ticks of the background, so that an hour costs little. */
const SETTINGS = { commitPeriodMs: 5_000, channelPollMs: 20_000 };
const MAX_MEMBERS = 3;

/** Only the first of the members ends, and never the last one. */
async function openCast(driver: Driven) {
  const members: Member[] = [];
  let joined = 0;
  let requested = 0;
  const join = async () => {
    if (members.length === MAX_MEMBERS) return;
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
    if (leaving !== undefined) await settled(driver, end(leaving));
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
        case 'kill':
          return leave(({ kill }) => kill());
        default:
          driver.log.expel(members[0]?.processId ?? '');
          return driver.time.settle();
      }
    },
  };
}

test('every request ends in one message and one outcome, however often its owner changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 25 }), async (moves) => {
      const driver = await drive();
      const cast = await openCast(driver);
      for (const one of moves) await cast.play(one);
      await driver.time.advance(10 * 60_000);
      expect(cast.members.map(({ processor }) => processor.state())).not.toContain('failed');
      const ids = Array.from({ length: cast.requested() }, (_, index) => anId(index + 1));
      expect(driver.mail.messages.map(({ reference }) => reference).sort()).toEqual(ids);
      const published = new Map<string, string>();
      for (const outcome of await outcomes(driver)) {
        const bytes = JSON.stringify(outcome);
        expect(published.get(outcome.notificationId) ?? bytes).toBe(bytes);
        published.set(outcome.notificationId, bytes);
        expect(outcome).toMatchObject({ status: 'Sent', outcomeSeq: 1 });
      }
      expect([...published.keys()].sort()).toEqual(ids);
      for (const id of ids) {
        const attempts = driver.mail.calls
          .filter(({ call }) => call.reference === id)
          .map(({ call }) => call.attempt);
        expect(attempts).toEqual([...attempts].sort((a, b) => a - b));
        expect(await driver.row(id)).toMatchObject({ status: 'Sent', publishedSeq: 1, wakeAtMs: null });
      }
      expect(everythingIsDone(driver)).toBe(true);
    }),
    { numRuns: 20 },
  );
}, 60_000);

// What every provider must keep, whatever is behind it. Run on each implementation; time is virtual, so a deadline costs nothing.
import { afterEach, describe, expect, test } from 'vitest';
import type { CallOutcome, Capability } from '../../../src/domain/call-outcome.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { aCall, anId, yes } from '../../unit/providers/a-call.ts';

/** What the vendor is told to do with the next call. */
export type ContractOrder =
  | 'accept'
  | 'say-busy'
  | 'refuse-recipient'
  | 'limit-everybody'
  | 'reject-credentials'
  | 'say-something-unmapped'
  | 'deliver-and-lose-the-answer'
  | 'say-nothing';

interface ContractWorld {
  readonly provider: Provider;
  order(...orders: readonly ContractOrder[]): void;
  /** Requests that reached the vendor. */
  requests(): number;
  /** Messages that went out. */
  messages(): number;
  /** Resolves when that many requests have reached the vendor. */
  reached(requests: number): Promise<void>;
  advance(deltaMs: number): Promise<void>;
  close(): Promise<void>;
}

export type OpenWorld = (settings: { capability: Capability; deadlineMs: number }) => Promise<ContractWorld>;

const DEADLINE_MS = 15_000;

export function providerContract(name: string, openWorld: OpenWorld): void {
  describe(`provider contract: ${name}`, () => {
    const opened: ContractWorld[] = [];
    const open = async (capability: Capability = 'key') => {
      const world = await openWorld({ capability, deadlineMs: DEADLINE_MS });
      opened.push(world);
      return world;
    };
    afterEach(async () => {
      for (const world of opened.splice(0)) await world.close();
    });

    test('an accepted call is one request, one message and its id', async () => {
      const world = await open();

      const answer = await world.provider.send(aCall(), yes);

      expect(answer.kind === 'accepted' && answer.providerMessageId.length > 0).toBe(true);
      expect([world.requests(), world.messages()]).toEqual([1, 1]);
    });

    test.each<[ContractOrder, Partial<CallOutcome>]>([
      ['say-busy', { kind: 'transient' }],
      ['refuse-recipient', { kind: 'refused', code: 'NTF_PROVIDER_INVALID_RECIPIENT' }],
      ['limit-everybody', { kind: 'rate-limited', retryAfterMs: 7_000, scope: 'provider' }],
      ['reject-credentials', { kind: 'misconfigured' }],
      ['say-something-unmapped', { kind: 'transient', isUnclassified: true }],
      ['deliver-and-lose-the-answer', { kind: 'unknown', phase: 'answer-lost' }],
    ])('when the vendor is told to %s, the call says so after one request', async (order, expected) => {
      const world = await open();
      world.order(order);

      expect(await world.provider.send(aCall(), yes)).toMatchObject(expected);
      expect(world.requests()).toBe(1);
    });

    test('permission is asked once, and without it nothing reaches the vendor', async () => {
      const world = await open();
      let asked = 0;

      const answer = await world.provider.send(aCall(), () => {
        asked += 1;
        return false;
      });

      expect(answer).toEqual({ kind: 'not-started' });
      expect([asked, world.requests(), world.messages()]).toEqual([1, 0, 0]);
    });

    test('a refused start does not harm the calls after it', async () => {
      const world = await open();
      await world.provider.send(aCall(), () => false);

      expect((await world.provider.send(aCall(), yes)).kind).toBe('accepted');
    });

    test('a vendor that says nothing leaves the call unknown at its deadline and not before', async () => {
      const world = await open();
      world.order('say-nothing');
      let answer: unknown = null;
      const call = world.provider.send(aCall(), yes).then((given) => {
        answer = given;
      });
      await world.reached(1);

      await world.advance(DEADLINE_MS - 1);
      expect(answer).toBeNull();
      await world.advance(1);
      await call;

      expect(answer).toMatchObject({ kind: 'unknown', phase: 'sent' });
      expect(world.requests()).toBe(1);
    });

    test('with capability key, the same key after a lost answer finds the message that is out', async () => {
      const world = await open('key');
      world.order('deliver-and-lose-the-answer');
      await world.provider.send(aCall(), yes);

      const answer = await world.provider.send(aCall({ attempt: 2 }), yes);

      expect(answer.kind).toBe('accepted');
      expect([world.requests(), world.messages()]).toEqual([2, 1]);
    });

    test('with capability none, the same key again is another message', async () => {
      const world = await open('none');
      world.order('deliver-and-lose-the-answer');
      await world.provider.send(aCall(), yes);

      await world.provider.send(aCall({ attempt: 2 }), yes);

      expect(world.messages()).toBe(2);
    });

    test('a lookup finds what was delivered in its cycle and nothing else', async () => {
      const world = await open('lookup');
      await world.provider.send(aCall({ cycle: 2 }), yes);

      expect((await world.provider.lookUp(anId(), 2)).kind).toBe('found');
      expect((await world.provider.lookUp(anId(), 1)).kind).toBe('absent');
      expect((await world.provider.lookUp(anId(9), 2)).kind).toBe('absent');
    });

    test('without capability lookup the question has no answer', async () => {
      const world = await open('key');
      await world.provider.send(aCall(), yes);

      expect((await world.provider.lookUp(anId(), 1)).kind).toBe('unavailable');
    });

    test('calls of different notifications run at the same time', async () => {
      const world = await open();
      world.order('say-nothing', 'accept');
      const stuck = world.provider.send(aCall({ reference: anId(1) }), yes);
      await world.reached(1);

      expect((await world.provider.send(aCall({ reference: anId(2) }), yes)).kind).toBe('accepted');

      await world.advance(DEADLINE_MS);
      expect((await stuck).kind).toBe('unknown');
    });

    test('closing twice is closing', async () => {
      const world = await open();
      await world.provider.send(aCall(), yes);

      await world.provider.close();
      await world.provider.close();
    });
  });
}

import { describe, expect, test } from 'vitest';
import {
  foldEvidence,
  isStanding,
  MAX_MESSAGES,
  newestStanding,
  otherStanding,
  verdictOf,
} from '../../../src/domain/evidence.ts';
import type { MessageEvidence, Verdict } from '../../../src/domain/notification.ts';

const said = (messageId: string, verdict: Verdict, cycle = 0): MessageEvidence => ({
  messageId,
  cycle,
  attempt: 1,
  verdict,
});
const sixteen = (verdict: Verdict) =>
  Array.from({ length: MAX_MESSAGES }, (_, index) => said(`m-${index}`, verdict));

describe('foldEvidence', () => {
  test('a new message is added', () => {
    expect(foldEvidence([], said('m-1', 'accepted'))).toEqual([said('m-1', 'accepted')]);
  });

  test.each([
    ['accepted', 'failed-transient'],
    ['failed-transient', 'delivered'],
    ['delivered', 'failed-hard'],
  ] as const)('%s is raised to %s and never lowered again', (lower, higher) => {
    const raised = foldEvidence([said('m-1', lower)], said('m-1', higher));
    expect(verdictOf(raised, 'm-1')).toBe(higher);
    expect(foldEvidence(raised, said('m-1', lower))).toBe(raised);
  });

  test('what says nothing new leaves the very same list', () => {
    const list = [said('m-1', 'delivered')];
    expect(foldEvidence(list, said('m-1', 'delivered'))).toBe(list);
  });

  test('a message keeps the cycle and attempt that it was first seen with', () => {
    const [message] = foldEvidence([said('m-1', 'accepted')], { ...said('m-1', 'delivered', 7), attempt: 9 });
    expect(message).toEqual(said('m-1', 'delivered'));
  });

  test('beyond the limit the oldest failed message goes first', () => {
    const list = sixteen('accepted').with(3, said('failed', 'failed-hard'));
    const longer = foldEvidence(list, said('new', 'accepted'));

    expect(longer.length).toBe(MAX_MESSAGES);
    expect(verdictOf(longer, 'failed')).toBeNull();
    expect(longer.at(-1)).toEqual(said('new', 'accepted'));
  });

  test('when all stand, the oldest makes room for one that stands', () => {
    const longer = foldEvidence(sixteen('delivered'), said('new', 'accepted'));
    expect(longer.map(({ messageId }) => messageId)).toEqual([
      ...sixteen('delivered')
        .slice(1)
        .map(({ messageId }) => messageId),
      'new',
    ]);
  });

  test('when all stand, news of a failure displaces none of them', () => {
    const list = sixteen('accepted');
    expect(foldEvidence(list, said('new', 'failed-hard'))).toBe(list);
  });
});

describe('messages that stand', () => {
  test.each([
    ['accepted', true],
    ['delivered', true],
    ['failed-transient', false],
    ['failed-hard', false],
  ] as const)('%s stands: %s', (verdict, stands) => {
    expect(isStanding(said('m-1', verdict))).toBe(stands);
  });

  test('the newest other one is found', () => {
    const list = [
      said('a', 'accepted'),
      said('b', 'delivered'),
      said('c', 'failed-hard'),
      said('d', 'accepted'),
    ];
    expect(otherStanding(list, 'd')?.messageId).toBe('b');
    expect(otherStanding([said('a', 'accepted')], 'a')).toBeNull();
  });

  test('the newest is found, of whatever cycle', () => {
    const list = [said('a', 'accepted', 1), said('b', 'accepted', 0), said('c', 'failed-hard', 1)];
    expect(newestStanding(list)?.messageId).toBe('b');
    expect(newestStanding([said('c', 'failed-hard', 1)])).toBeNull();
  });
});

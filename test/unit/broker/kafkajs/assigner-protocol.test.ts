import { AssignerProtocol, type Cluster, type Logger } from 'kafkajs';
import { expect, test } from 'vitest';
import {
  coPartitionedAssigner,
  equalCount,
  memberData,
  memberOf,
} from '../../../../src/broker/kafkajs/assigner-protocol.ts';

/** As much of a cluster as the assigner asks for. */
function assignerOf(partitions: Readonly<Record<string, number>>, hooks = { owned: [0], joins: 0 }) {
  const cluster = {
    findTopicPartitionMetadata: (topic: string) =>
      Array.from({ length: partitions[topic] ?? 0 }, (_, partitionId) => ({ partitionId })),
  } as unknown as Cluster;
  const make = coPartitionedAssigner({
    processId: 'process-a',
    owned: () => hooks.owned,
    onJoining() {
      hooks.joins += 1;
    },
  });
  return make({ cluster, groupId: 'group', logger: {} as unknown as Logger });
}

const encoded = (memberId: string, topics: string[], owned: readonly number[] = []) => ({
  memberId,
  memberMetadata: AssignerProtocol.MemberMetadata.encode({
    version: 0,
    topics,
    userData: memberData(memberId, owned),
  }),
});

test('what a member tells is a pure function of its process and tasks, whatever their order', () => {
  expect(memberData('p', [10, 2, 9]).equals(memberData('p', [2, 9, 10]))).toBe(true);
  expect(memberOf('member', memberData('p', [10, 2]))).toEqual({
    memberId: 'member',
    processId: 'p',
    owned: [2, 10],
  });
});

test.each(['', 'not json', '[]', 'null', '{"process":7,"tasks":"x"}', '{"tasks":[1,"2",null]}'])(
  'a member that tells %j is known by its member id',
  (text) => {
    const member = memberOf('member', Buffer.from(text));
    expect(member.processId).toBe('member');
    expect(member.owned.every((task) => typeof task === 'number')).toBe(true);
  },
);

test('each join says version 0, the same bytes, and that a rebalance began', () => {
  const hooks = { owned: [3, 1], joins: 0 };
  const assigner = assignerOf({}, hooks);
  const first = assigner.protocol({ topics: ['a', 'b'] });
  const second = assigner.protocol({ topics: ['a', 'b'] });
  expect(hooks.joins).toBe(2);
  expect(first).toEqual(second);
  expect(AssignerProtocol.MemberMetadata.decode(first.metadata)).toMatchObject({
    version: 0,
    topics: ['a', 'b'],
  });
});

test('a task goes whole to one member', async () => {
  const topics = ['a', 'b'];
  const members = [encoded('x', topics, [0, 1, 2]), encoded('y', topics)];
  const assigned = await assignerOf({ a: 3, b: 3 }).assign({ members, topics });
  const byMember = assigned.map(({ memberId, memberAssignment }) => [
    memberId,
    AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment,
  ]);
  expect(Object.fromEntries(byMember)).toEqual({ x: { a: [0, 1], b: [0, 1] }, y: { a: [2], b: [2] } });
});

test('members with other topics are refused', async () => {
  const members = [encoded('x', ['a', 'b']), encoded('y', ['a'])];
  await expect(assignerOf({ a: 3, b: 3 }).assign({ members, topics: ['a', 'b'] })).rejects.toMatchObject({
    code: 'LOG_MIXED_SUBSCRIPTIONS',
    retriable: false,
  });
});

test('unequal partition counts are refused and named', async () => {
  const members = [encoded('x', ['a', 'b'])];
  const refused = assignerOf({ a: 3, b: 4 }).assign({ members, topics: ['a', 'b'] });
  await expect(refused).rejects.toMatchObject({ code: 'LOG_TOPICS_UNEQUAL' });
  await expect(refused).rejects.toThrow('a has 3, b has 4');
  expect(() => equalCount(new Map([['a', 0]]))).toThrow(
    expect.objectContaining({ code: 'LOG_TOPICS_UNEQUAL' }),
  );
  expect(
    equalCount(
      new Map([
        ['a', 4],
        ['b', 4],
      ]),
    ),
  ).toBe(4);
});

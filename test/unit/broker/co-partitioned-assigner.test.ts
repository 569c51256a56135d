import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignTasks, type GroupMember } from '../../../src/broker/co-partitioned-assigner.ts';
import { InvariantBroken } from '../../../src/runtime/fault.ts';

const member = (processId: string, owned: readonly number[] = []): GroupMember => ({
  memberId: `member-of-${processId}`,
  processId,
  owned,
});

describe('assigning tasks', () => {
  test('a lone member gets all', () => {
    expect([...assignTasks({ members: [member('a')], partitions: 3 })]).toEqual([['member-of-a', [0, 1, 2]]]);
  });

  test('a newcomer takes as few as balance asks for', () => {
    const tasks = assignTasks({ members: [member('a', [0, 1, 2, 3, 4]), member('b')], partitions: 5 });
    expect([...tasks]).toEqual([
      ['member-of-a', [0, 1, 2]],
      ['member-of-b', [3, 4]],
    ]);
  });

  test('the tasks of one that left are shared out and nothing else moves', () => {
    const tasks = assignTasks({ members: [member('a', [0, 3]), member('c', [2, 5])], partitions: 6 });
    expect(tasks.get('member-of-a')).toEqual(expect.arrayContaining([0, 3]));
    expect(tasks.get('member-of-c')).toEqual(expect.arrayContaining([2, 5]));
  });

  test('members beyond the partitions get an empty list', () => {
    const tasks = assignTasks({ members: [member('a'), member('b')], partitions: 1 });
    expect([...tasks.values()].map((own) => own.length).sort()).toEqual([0, 1]);
  });

  test('a process that comes back under another member id gets what it had', () => {
    const before = assignTasks({ members: [member('a'), member('b'), member('c')], partitions: 7 });
    const returned = ['a', 'b', 'c'].map((processId) => ({
      ...member(processId),
      memberId: `new-${processId}`,
    }));
    const after = assignTasks({ members: returned.reverse(), partitions: 7 });
    for (const processId of ['a', 'b', 'c'])
      expect(after.get(`new-${processId}`)).toEqual(before.get(`member-of-${processId}`));
  });

  test('a task that two claim after an expulsion goes to the one with fewer', () => {
    const tasks = assignTasks({ members: [member('a', [0, 1, 2, 3]), member('b', [0, 1])], partitions: 4 });
    expect([...tasks]).toEqual([
      ['member-of-a', [2, 3]],
      ['member-of-b', [0, 1]],
    ]);
  });

  test('a group without members is a bug', () => {
    expect(() => assignTasks({ members: [], partitions: 1 })).toThrow(InvariantBroken);
  });
});

describe('any group', () => {
  const group = fc
    .record({ partitions: fc.integer({ min: 1, max: 24 }), size: fc.integer({ min: 1, max: 9 }) })
    .chain(({ partitions, size }) =>
      fc.record({
        partitions: fc.constant(partitions),
        members: fc
          .array(fc.array(fc.integer({ min: -1, max: partitions + 1 }), { maxLength: partitions + 2 }), {
            minLength: size,
            maxLength: size,
          })
          .map((owned) =>
            owned.map((own, index) => ({ memberId: `m${index}`, processId: `p${index % 5}`, owned: own })),
          ),
      }),
    );
  /** A group in which nobody claims what another has. */
  const consistent = group.map(({ partitions, members }) => ({
    partitions,
    members: members.map((one, index) => ({
      ...one,
      owned: Array.from({ length: partitions }, (_, task) => task).filter(
        (task) => members.findIndex(({ owned }) => owned.includes(task)) === index,
      ),
    })),
  }));

  test('every task has one member and loads differ by at most one', () => {
    fc.assert(
      fc.property(group, ({ members, partitions }) => {
        const tasks = assignTasks({ members, partitions });
        expect(tasks.size).toBe(members.length);
        expect([...tasks.values()].flat().sort((a, b) => a - b)).toEqual(
          Array.from({ length: partitions }, (_, n) => n),
        );
        const loads = [...tasks.values()].map((own) => own.length);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('the order of the members does not matter', () => {
    fc.assert(
      fc.property(group, ({ members, partitions }) => {
        const backwards = assignTasks({ members: [...members].reverse(), partitions });
        expect(backwards).toEqual(assignTasks({ members, partitions }));
      }),
    );
  });

  test('no more tasks move than balance asks for', () => {
    fc.assert(
      fc.property(consistent, ({ members, partitions }) => {
        const tasks = assignTasks({ members, partitions });
        const stayed = members.flatMap(({ memberId, owned }) =>
          owned.filter((task) => tasks.get(memberId)?.includes(task) === true),
        );
        const share = Math.floor(partitions / members.length);
        const larger = partitions % members.length;
        const loads = members.map(({ owned }) => owned.length).sort((a, b) => b - a);
        const best = loads.reduce(
          (sum, load, rank) => sum + Math.min(load, rank < larger ? share + 1 : share),
          0,
        );
        expect(stayed).toHaveLength(best);
      }),
    );
  });

  test('assigning again what was assigned moves nothing', () => {
    fc.assert(
      fc.property(group, ({ members, partitions }) => {
        const tasks = assignTasks({ members, partitions });
        const settled = members.map((one) => ({ ...one, owned: tasks.get(one.memberId) ?? [] }));
        expect(assignTasks({ members: settled, partitions })).toEqual(tasks);
      }),
    );
  });
});

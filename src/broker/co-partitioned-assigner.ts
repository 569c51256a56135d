// Who gets which task. A task is one partition number of every source topic, so the same number of all of them goes to one member.
// It promises: each task has exactly one member, loads differ by at most one, no assignment with fewer moves exists, and the same input
// in any order gives the same answer. Pure; the adapters carry its input and output.
import { invariant } from '../runtime/fault.ts';

export interface GroupMember {
  readonly memberId: string;
  /** Stable over reconnects, unlike the member id: decides every tie. */
  readonly processId: string;
  /** Tasks that this member had until now. Two members may claim the same one after an expulsion. */
  readonly owned: readonly number[];
}

export interface Group {
  readonly members: readonly GroupMember[];
  readonly partitions: number;
}

/** Tasks by member id, ascending; every member has an entry. Members must be at least one, with distinct ids. */
export function assignTasks({ members, partitions }: Group): Map<string, number[]> {
  invariant(members.length > 0, 'a group without members has nobody to assign tasks to');
  const ordered = [...members].sort(
    (a, b) => order(a.processId, b.processId) || order(a.memberId, b.memberId),
  );
  const kept = claims(ordered, partitions);
  const limits = shares(ordered, kept, partitions);
  const tasks = new Map(
    ordered.map(({ memberId }) => [memberId, listOf(kept, memberId).slice(0, limits.get(memberId))]),
  );
  const taken = new Set([...tasks.values()].flat());
  let free = Array.from({ length: partitions }, (_, task) => task).filter((task) => !taken.has(task));
  for (const [memberId, own] of tasks) {
    const room = (limits.get(memberId) ?? 0) - own.length;
    own.push(...free.slice(0, room));
    own.sort((a, b) => a - b);
    free = free.slice(room);
  }
  return tasks;
}

/** What each member may keep at most of what it owned: a contested task goes to the claimant with the fewest of its own. */
function claims(members: readonly GroupMember[], partitions: number): Map<string, number[]> {
  const claimants = new Map<number, string[]>();
  for (const { memberId, owned } of members) {
    for (const task of new Set(owned)) {
      if (Number.isInteger(task) && task >= 0 && task < partitions) {
        claimants.set(task, [...(claimants.get(task) ?? []), memberId]);
      }
    }
  }
  const kept = new Map<string, number[]>(members.map(({ memberId }) => [memberId, []]));
  const byContest = [...claimants].sort(([a, x], [b, y]) => x.length - y.length || a - b);
  for (const [task, contenders] of byContest) {
    const [first = '', ...others] = contenders;
    const load = (memberId: string) => listOf(kept, memberId).length;
    listOf(
      kept,
      others.reduce((best, next) => (load(next) < load(best) ? next : best), first),
    ).push(task);
  }
  for (const own of kept.values()) own.sort((a, b) => a - b);
  return kept;
}

/** How many tasks each member gets; the larger shares go to those who keep the most, which makes the fewest moves. */
function shares(members: readonly GroupMember[], kept: ReadonlyMap<string, number[]>, partitions: number) {
  const share = Math.floor(partitions / members.length);
  const larger = partitions % members.length;
  const byKept = [...members].sort(
    (a, b) => listOf(kept, b.memberId).length - listOf(kept, a.memberId).length,
  );
  return new Map(byKept.map(({ memberId }, rank) => [memberId, rank < larger ? share + 1 : share]));
}

function listOf(lists: ReadonlyMap<string, number[]>, memberId: string): number[] {
  const list = lists.get(memberId);
  invariant(list !== undefined, `no list for member ${memberId}`);
  return list;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// The coordinator of the simulated group. Rebalances are eager, as kafkajs does them: everybody stops reading, joins again, and the
// generation begins when all have joined or their sessions are over. It commits for members of the current generation only.
import { assignTasks } from '../../broker/co-partitioned-assigner.ts';
import type { PartitionOffset, TopicPartition } from '../../broker/log.ts';
import { keyOf } from '../../broker/partition-key.ts';
import type { Incarnation } from '../incarnation.ts';
import type { World } from '../world.ts';

export interface Seat {
  readonly process: Incarnation;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  owned(): readonly number[];
  /** A rebalance began: stops reading. */
  onRevoking(): void;
  onAssigned(tasks: readonly number[], generation: number): void;
  /** The group went on without it. */
  onExpelled(): void;
}

export interface Group {
  /** Returns the new member's id. */
  join(seat: Seat): number;
  leave(memberId: number): void;
  /** False: fenced. */
  commit(memberId: number, generation: number, offsets: readonly PartitionOffset[]): boolean;
  committed(at: TopicPartition): number | null;
  /** As an operator does: the group goes on from there at its next assignment. */
  reset(at: TopicPartition, offset: number): void;
  /** All members have to join again. */
  rebalance(): void;
  /** Ends the session of every member in `process`, whether it lives or not. */
  expel(process: Incarnation): void;
  /** `process` fell silent: its sessions end unless it goes on in time. */
  silent(process: Incarnation): void;
  isStable(): boolean;
}

interface Member {
  readonly id: number;
  readonly seat: Seat;
  hasJoined: boolean;
}

export function simulatedGroup(world: World, partitions: number): Group {
  const members = new Map<number, Member>();
  const offsets = new Map<string, number>();
  const round = rebalances(world, members, partitions);
  let nextId = 1;

  const remove = (id: number) => {
    if (members.delete(id)) round.begin();
  };
  const expelMember = ({ id, seat }: Member) => {
    world.tell('broker', () => `the session of ${seat.process.name} is over`);
    remove(id);
    seat.process.arrive(noticeMs(world, seat), () => seat.onExpelled());
  };
  const membersIn = (process: Incarnation) =>
    [...members.values()].filter(({ seat }) => seat.process === process);

  return {
    join(seat) {
      const member: Member = { id: nextId, seat, hasJoined: true };
      nextId += 1;
      round.begin();
      members.set(member.id, member);
      return member.id;
    },
    leave: remove,
    commit(memberId, of, given) {
      if (!members.has(memberId) || of !== round.generation()) return false;
      for (const at of given) offsets.set(keyOf(at), at.offset);
      return true;
    },
    committed: (at) => offsets.get(keyOf(at)) ?? null,
    reset: (at, offset) => void offsets.set(keyOf(at), offset),
    rebalance: round.begin,
    expel(process) {
      for (const member of membersIn(process)) expelMember(member);
    },
    silent(process) {
      const sinceMs = process.silentSinceMs();
      for (const member of membersIn(process))
        world.time.after(member.seat.sessionTimeoutMs, () => {
          if (members.get(member.id) === member && process.silentSinceMs() === sinceMs) expelMember(member);
        });
    },
    isStable: () => !round.runs(),
  };
}

interface Rebalances {
  /** All members are called back; nothing more while one runs. */
  begin(): void;
  runs(): boolean;
  generation(): number;
}

function rebalances(world: World, members: ReadonlyMap<number, Member>, partitions: number): Rebalances {
  let generation = 0;
  let isRunning = false;
  const assign = () => {
    const joined = [...members.values()].map(({ id, seat }) => ({
      memberId: String(id),
      processId: seat.process.slot,
      owned: seat.owned(),
    }));
    const began = generation;
    for (const [memberId, tasks] of assignTasks({ members: joined, partitions })) {
      const seat = members.get(Number(memberId))?.seat;
      world.tell(
        'broker',
        () => `generation ${began}: ${seat?.process.name} gets tasks [${tasks.join(', ')}]`,
      );
      seat?.process.arrive(1, () => seat.onAssigned(tasks, began));
    }
  };
  const finish = () => {
    if (!isRunning || members.size === 0) return;
    if ([...members.values()].some(({ hasJoined }) => !hasJoined)) return;
    isRunning = false;
    generation += 1;
    assign();
  };
  const joined = (member: Member) => {
    member.hasJoined = true;
    world.time.after(1, finish);
  };
  const callBack = (member: Member) => {
    member.hasJoined = false;
    member.seat.process.arrive(noticeMs(world, member.seat), () => {
      if (members.get(member.id) !== member || member.hasJoined) return;
      member.seat.onRevoking();
      // Whoever died or froze meanwhile does not ask to join again, or later.
      member.seat.process.arrive(1, () => joined(member));
    });
  };
  return {
    begin() {
      if (!isRunning) {
        isRunning = true;
        for (const member of members.values()) callBack(member);
      }
      world.time.after(1, finish);
    },
    runs: () => isRunning,
    generation: () => generation,
  };
}

/** The next heartbeat's answer tells a member what happened to its group. */
function noticeMs(world: World, { heartbeatIntervalMs }: Seat): number {
  return 1 + Math.floor((heartbeatIntervalMs * (world.time.nowMs() % 7)) / 7);
}

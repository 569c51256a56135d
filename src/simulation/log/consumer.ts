// A consumer of the simulated log: a seat in the group and what it reads. Every assignment starts from the committed offsets; a member
// whose session ended learns of it with its next heartbeat, and reads on until then.
import { commitFloor } from '../../broker/commit-floor.ts';
import type {
  ConsumerHandlers,
  ConsumerOptions,
  LogConsumer,
  PartitionOffset,
  TopicPartition,
} from '../../broker/log.ts';
import { Fault } from '../../runtime/fault.ts';
import type { Incarnation } from '../incarnation.ts';
import { answer, send, type World } from '../world.ts';
import type { Group, Seat } from './group.ts';
import type { Partitions } from './partitions.ts';
import { type Reading, simulatedReading } from './reading.ts';

export interface ConsumerParts {
  readonly world: World;
  readonly process: Incarnation;
  readonly partitions: Partitions;
  readonly group: Group;
  readonly options: ConsumerOptions;
  readonly handlers: ConsumerHandlers;
  /** Another process that lives takes itself for the owner of this task. */
  readonly isHeldElsewhere: (task: number) => boolean;
}

export interface SimulatedConsumer extends LogConsumer {
  readonly reading: Reading;
  /** Of the last assignment that it heard of. */
  tasks(): readonly number[];
}

export function simulatedConsumer(parts: ConsumerParts): SimulatedConsumer {
  const { world, process, group, options, handlers } = parts;
  const reading = simulatedReading(world, process, parts.partitions, handlers);
  const floor = commitFloor();
  let tasks: readonly number[] = [];
  let generation = 0;
  let memberId = 0;
  let isStopped = false;

  const revoke = () => {
    if (!reading.reads()) return;
    reading.rest();
    handlers.onRevoking();
  };
  const seat: Seat = {
    process,
    sessionTimeoutMs: options.sessionTimeoutMs,
    heartbeatIntervalMs: options.heartbeatIntervalMs,
    owned: () => tasks,
    onRevoking: revoke,
    onAssigned(next, of) {
      if (isStopped) return;
      const before = tasks;
      [tasks, generation] = [next, of];
      reading.rest();
      handlers.onAssigned(next, of);
      const starts = startsOf(parts, next, before);
      floor.forget();
      floor.startsAt(starts);
      reading.begin(starts);
    },
    onExpelled() {
      if (isStopped) return;
      revoke();
      process.arrive(1, join);
    },
  };
  const join = () => {
    if (!isStopped) memberId = group.join(seat);
  };
  process.arrive(1, join);
  return {
    reading,
    tasks: () => tasks,
    pause: reading.pause,
    resume: reading.resume,
    commit: (offsets) => {
      const mine = offsets.filter((at) => tasks.includes(at.partition) && floor.allows(at));
      return mine.length === 0 ? Promise.resolve() : commit(parts, memberId, generation, mine);
    },
    lastProgressAgeMs: () => 0,
    stop() {
      isStopped = true;
      reading.rest();
      return new Promise((resolve) =>
        send(world, process, 'leave', false, () => {
          group.leave(memberId);
          answer(world, process, 'leave', false, resolve);
        }),
      );
    },
  };
}

const FENCED = new Fault('LOG_FENCED', 'the group goes on without this member', { retriable: false });
const AWAY = new Fault('LOG_UNAVAILABLE', 'no answer to a commit', { retriable: true });
/** By the choice of die `commit`. */
const FATES = ['taken', 'fenced', 'away', 'answer-lost'] as const;

function commit(
  { world, process, group }: ConsumerParts,
  memberId: number,
  generation: number,
  offsets: readonly PartitionOffset[],
): Promise<void> {
  return new Promise((resolve, reject) =>
    send(world, process, 'commit', true, () => {
      const fate = FATES[world.dice.roll('commit', 'commit')] ?? 'taken';
      const isTaken = fate !== 'fenced' && fate !== 'away' && group.commit(memberId, generation, offsets);
      world.tell(
        'broker',
        () => `${isTaken ? 'takes' : 'refuses'} ${wordsOf(offsets)} of ${process.name} (${fate})`,
      );
      answer(world, process, 'commit', true, () => {
        if (fate === 'away' || fate === 'answer-lost') reject(AWAY);
        else if (isTaken) resolve();
        else reject(FENCED);
      });
    }),
  );
}

function wordsOf(offsets: readonly PartitionOffset[]): string {
  return offsets.map(({ topic, partition, offset }) => `${topic}/${partition}@${offset}`).join(', ');
}

/**
 * Where each partition starts. The log may have lost a position, or an operator set it back while nobody had the task: neither happens
 * below a zombie, which would take records under used offsets for the ones that it saw.
 */
function startsOf(
  { world, group, options, handlers, isHeldElsewhere }: ConsumerParts,
  tasks: readonly number[],
  before: readonly number[],
): PartitionOffset[] {
  const all = options.topics.flatMap((topic) => tasks.map((partition) => ({ topic, partition })));
  return all.map((at) => {
    const committed = group.committed(at) ?? 0;
    const fault = committed === 0 ? 0 : world.dice.roll('assignment', at.topic);
    const isRetained = before.includes(at.partition);
    if (fault === 0 || isHeldElsewhere(at.partition) || (fault === 1 && isRetained))
      return startAt(at, committed);
    const offset = earlier(world, committed);
    world.tell('broker', () => `${at.topic}/${at.partition} goes back from ${committed} to ${offset}`);
    group.reset(at, offset);
    if (fault === 2) handlers.onOffsetReset(at, committed, offset);
    return startAt(at, offset);
  });
}

function startAt({ topic, partition }: TopicPartition, offset: number): PartitionOffset {
  return { topic, partition, offset };
}

function earlier({ tape }: World, committed: number): number {
  return Math.max(0, committed - 1 - tape.pick(4));
}

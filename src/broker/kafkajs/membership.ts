// What happens to a group member: it joins, is assigned, loses its tasks, comes back after trouble. Turns kafkajs' events into the port's
// handlers and calls none of them after `stop`. A consumer that dies of a passing trouble is started again where kafkajs gives up; one
// that dies of anything else is reported once.
import type { IMemberAssignment } from 'kafkajs';
import { invariant, messageOf } from '../../runtime/fault.ts';
import type { ConsumerHandlers, ConsumerOptions, TopicPartition } from '../log.ts';
import type { KafkaDeps } from './client.ts';
import type { Life } from './consumer-life.ts';
import type { Delivery } from './delivery.ts';
import { passes } from './failure.ts';
import type { Ownership } from './ownership.ts';
import type { PartitionFlow } from './partition-flow.ts';
import type { Placement } from './placement.ts';
import type { TopicRest } from './topic-rest.ts';

export interface MembershipParts {
  readonly deps: KafkaDeps;
  readonly options: Pick<ConsumerOptions, 'groupId' | 'topics'>;
  readonly handlers: ConsumerHandlers;
  readonly ownership: Ownership;
  readonly flow: PartitionFlow;
  readonly delivery: Delivery;
  readonly placement: Placement;
  readonly rest: Pick<TopicRest, 'begin'>;
}

export interface Membership {
  onJoining(): void;
  onJoined(assignment: IMemberAssignment): void;
  onCrash(error: unknown, restarts: boolean): void;
  /** The client found the position of `at` gone from the log. */
  onPositionLost(at: TopicPartition): void;
  /** Our side broke: nothing more is delivered, and the owner is told. */
  onBroken(error: unknown): void;
}

export function membership(parts: MembershipParts, life: Life): Membership {
  const { deps, options, handlers, ownership, flow, delivery, placement, rest } = parts;

  const onBroken = (error: unknown) => {
    if (ownership.phase() === 'gone') return;
    ownership.leave();
    placement.abort();
    deps.timers.after(0, () => {
      if (!life.stopping()) handlers.onCrashed(error);
    });
  };

  return {
    onBroken,
    onJoining() {
      if (!ownership.joining()) return;
      placement.abort();
      handlers.onRevoking();
    },
    onJoined(assignment) {
      if (ownership.phase() === 'gone') return;
      const tasks = tasksOf(options.topics, assignment);
      const generation = ownership.assigned(tasks);
      flow.hold(ownership.partitions());
      handlers.onAssigned(tasks, generation);
      const flowing = () => {
        rest.begin();
        ownership.placed(generation);
      };
      placement.begin(ownership.partitions(), flowing).catch(onBroken);
    },
    onCrash(error, restarts) {
      if (ownership.phase() === 'gone') return;
      const reason = messageOf(error);
      deps.logger.warn('kafka.consumer-crashed', { group_id: options.groupId, restarts, reason });
      placement.abort();
      if (ownership.lost()) handlers.onRevoking();
      if (restarts) return;
      if (passes(error)) life.startAgain();
      else onBroken(error);
    },
    onPositionLost(at) {
      if (ownership.phase() !== 'reading' || !ownership.owns(at)) return;
      placement.again(at, delivery.position(at)).catch(onBroken);
    },
  };
}

/** The partition numbers of an assignment, which are the same for every topic. */
function tasksOf(topics: readonly string[], assignment: IMemberAssignment): number[] {
  const tasksOfTopic = (topic: string) => [...(assignment[topic] ?? [])].sort((a, b) => a - b);
  const [first = '', ...others] = topics;
  const tasks = tasksOfTopic(first);
  const together = others.every((topic) => tasksOfTopic(topic).join() === tasks.join());
  invariant(together, 'an assignment tore the topics of a task apart');
  return tasks;
}

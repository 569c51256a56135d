// The co-partitioned assigner as kafkajs calls it. What a member tells the leader is a pure function of its process id and tasks: anything
// that changed by itself would make the group rebalance for ever. Members with other topics, or topics with unequal partition counts,
// are refused: a topic that one member does not subscribe to would be read by nobody.
import type { Cluster, GroupMember as KafkaMember, PartitionAssigner } from 'kafkajs';
import { Fault } from '../../runtime/fault.ts';
import { assignTasks, type GroupMember } from '../co-partitioned-assigner.ts';
import { AssignerProtocol } from './client-package.ts';

export interface AssignerHooks {
  readonly processId: string;
  /** Tasks of the last assignment. */
  owned(): readonly number[];
  /** Called before every join, on every path to it: the only certain sign that a rebalance began. */
  onJoining(): void;
}

const NAME = 'pin-co-partitioned-sticky';
const VERSION = 0;

export function coPartitionedAssigner(hooks: AssignerHooks): PartitionAssigner {
  return ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol({ topics }) {
      hooks.onJoining();
      const userData = memberData(hooks.processId, hooks.owned());
      const metadata = AssignerProtocol.MemberMetadata.encode({ version: VERSION, topics, userData });
      return { name: NAME, metadata };
    },
    // A refusal must become a rejection, not a throw.
    assign: (group) => Promise.resolve().then(() => assignment(cluster, group)),
  });
}

function assignment(cluster: Cluster, { members, topics }: { members: KafkaMember[]; topics: string[] }) {
  const described = members.map(({ memberId, memberMetadata }) => {
    const metadata = AssignerProtocol.MemberMetadata.decode(memberMetadata);
    refuseOtherTopics(topics, metadata?.topics ?? []);
    return memberOf(memberId, metadata?.userData ?? Buffer.alloc(0));
  });
  const counts = new Map(topics.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).length]));
  const tasks = assignTasks({ members: described, partitions: equalCount(counts) });
  return [...tasks].map(([memberId, own]) => ({
    memberId,
    memberAssignment: AssignerProtocol.MemberAssignment.encode({
      version: VERSION,
      assignment: Object.fromEntries(topics.map((topic) => [topic, own])),
      userData: Buffer.alloc(0),
    }),
  }));
}

export function memberData(processId: string, owned: readonly number[]): Buffer {
  return Buffer.from(JSON.stringify({ process: processId, tasks: [...owned].sort((a, b) => a - b) }));
}

/** A member of unknown making owns nothing and is known by its member id. */
export function memberOf(memberId: string, userData: Uint8Array): GroupMember {
  const { process: processId, tasks } = parsed(userData);
  const owned: unknown[] = Array.isArray(tasks) ? tasks : [];
  return {
    memberId,
    processId: typeof processId === 'string' ? processId : memberId,
    owned: owned.filter((task) => typeof task === 'number'),
  };
}

/** The partition count that all topics share. @throws Fault LOG_TOPICS_UNEQUAL */
export function equalCount(counts: ReadonlyMap<string, number>): number {
  const [first = 0, ...others] = new Set(counts.values());
  if (others.length === 0 && first > 0) return first;
  const list = [...counts].map(([topic, count]) => `${topic} has ${count}`).join(', ');
  throw new Fault('LOG_TOPICS_UNEQUAL', `co-partitioned topics need equal partition counts: ${list}`, {
    retriable: false,
  });
}

function refuseOtherTopics(ours: readonly string[], theirs: readonly string[]): void {
  const same = ours.length === theirs.length && ours.every((topic) => theirs.includes(topic));
  if (same) return;
  const message = `a member of the group reads [${theirs.join(', ')}], this one [${ours.join(', ')}]`;
  throw new Fault('LOG_MIXED_SUBSCRIPTIONS', message, { retriable: false });
}

function parsed(userData: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(userData).toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

// A member of a group on one kafkajs consumer, with a client of its own. It promises: the handle is returned before the first handler is
// called; every assignment starts from the committed offsets with nothing paused but what the owner pauses again; records flow only
// between an assignment and the next rebalance; offsets move only through `commit`. Broker outages end in a new join, not in a crash.
import type { Consumer, Kafka, PartitionAssigner } from 'kafkajs';
import type { Clock } from '../../runtime/clock.ts';
import { Fault } from '../../runtime/fault.ts';
import { inTurn } from '../../runtime/in-turn.ts';
import { within } from '../../runtime/timers.ts';
import { commitFloor } from '../commit-floor.ts';
import type { ConsumerHandlers, ConsumerOptions, LogConsumer, PartitionOffset } from '../log.ts';
import { coPartitionedAssigner, equalCount } from './assigner-protocol.ts';
import {
  askBrokers,
  CONNECT_LIMIT_MS,
  type KafkaDeps,
  type KafkaSettings,
  kafkaClient,
  RETRY,
} from './client.ts';
import { consumerLife, type Life } from './consumer-life.ts';
import { delivery } from './delivery.ts';
import { failureKind, unavailable } from './failure.ts';
import { type Membership, membership } from './membership.ts';
import { type Ownership, ownership } from './ownership.ts';
import { type PartitionFlow, partitionFlow } from './partition-flow.ts';
import { placement } from './placement.ts';
import { requestSpacing } from './request-spacing.ts';
import { countPartitions } from './topic-directory.ts';
import { type TopicRest, topicRest } from './topic-rest.ts';

const COMMIT_LIMIT_MS = 10_000;
/** One fetch answer, over all partitions; a partition takes at most its own limit of it. */
const MAX_FETCH_BYTES = 8 * 1024 * 1024;
/** Between the starts of two fetches. */
const FETCH_SPACING_MS = 8;
/** How kafkajs says that a position is gone; pinned with the package, and a test on a real broker would miss the report. */
const POSITION_LOST = /^Offset out of range, resetting/;

/**
 * Connects and checks the topics; joins right after the caller has the handle.
 * @throws Fault LOG_UNAVAILABLE (retriable), LOG_TOPIC_UNKNOWN, LOG_TOPICS_UNEQUAL, LOG_TIMING_UNSAFE
 */
export async function kafkaConsumer(
  deps: KafkaDeps,
  settings: KafkaSettings,
  options: ConsumerOptions,
  given: ConsumerHandlers,
): Promise<LogConsumer> {
  refuseUnsafeTiming(options);
  const { kafka, drop } = kafkaClient(deps, settings, ({ message, topic, partition }) => {
    if (topic !== null && partition !== null && POSITION_LOST.test(message))
      member.onPositionLost({ topic, partition });
  });
  const owned = ownership(options.topics);
  const onBroken = (error: unknown) => member.onBroken(error);
  const handlers = guarded(given, onBroken);
  const assigner = coPartitionedAssigner({
    processId: options.processId,
    owned: owned.lastTasks,
    onJoining: () => member.onJoining(),
  });
  const reader = readerOf(kafka, options, assigner, () => !life.stopping());
  const flow = partitionFlow(reader);
  const spacing = requestSpacing(deps, FETCH_SPACING_MS);
  reader.on(reader.events.FETCH_START, spacing.started);
  const rest = resting(deps, options, reader, owned, flow);
  const pump = delivery({ timers: deps.timers, ownership: owned, flow, spacing, rest, handlers, onBroken });
  const floor = commitFloor();
  const placing = placement({
    ...{ deps, settings, reader, handlers, flow, floor },
    groupId: options.groupId,
    delivery: pump,
  });
  const life: Life = consumerLife({
    deps,
    reader,
    drop,
    eachBatch: pump.eachBatch,
    onCrash: (error) => member.onCrash(error, false),
    onStop() {
      placing.abort();
      rest.end();
      owned.leave();
    },
  });
  const parts = { deps, options, handlers, ownership: owned, flow, delivery: pump, placement: placing, rest };
  const member: Membership = membership(parts, life);
  reader.on(reader.events.GROUP_JOIN, ({ payload }) => member.onJoined(payload.memberAssignment));
  reader.on(reader.events.CRASH, ({ payload }) => member.onCrash(payload.error, payload.restart));
  const lastProgressAgeMs = progressClock(deps.clock, reader);
  // A commit that nobody waits for any more may still be tried again by the client: the next one leaves after it.
  const run = inTurn();

  try {
    await prepare(deps, settings, reader, options);
  } catch (error) {
    drop();
    throw unavailable(error, `preparing the consumer of ${options.groupId}`);
  }
  life.start();
  return {
    pause: (partitions) => flow.stop(partitions.filter(owned.owns), 'owner'),
    resume: (partitions) => flow.go(partitions, 'owner'),
    async commit(offsets) {
      const mine = offsets.filter((at) => owned.owns(at) && floor.allows(at));
      if (mine.length === 0) return;
      placing.noteCommitted(mine);
      await within(
        deps.timers,
        COMMIT_LIMIT_MS,
        'LOG_UNAVAILABLE',
        run(() => commitOffsets(reader, mine)),
      );
    },
    lastProgressAgeMs,
    stop: life.stop,
  };
}

/** Topics that are looked at only now and then. */
function resting(
  { timers }: KafkaDeps,
  { lookEveryMs = new Map() }: ConsumerOptions,
  reader: Consumer,
  owned: Ownership,
  flow: PartitionFlow,
): TopicRest {
  const partitionsOf = (topic: string) => owned.partitions().filter((at) => at.topic === topic);
  const rest = topicRest({
    timers,
    lookEveryMs,
    fallAsleep: (topic) => flow.stop(partitionsOf(topic), 'resting'),
    wakeUp: (topic) => flow.go(partitionsOf(topic), 'resting'),
  });
  reader.on(reader.events.FETCH_START, ({ payload }) => rest.fetchStarted(payload.nodeId));
  reader.on(reader.events.FETCH, ({ payload }) => rest.fetchEnded(payload.nodeId));
  return rest;
}

function readerOf(
  kafka: Kafka,
  options: ConsumerOptions,
  assigner: PartitionAssigner,
  restarts: () => boolean,
): Consumer {
  return kafka.consumer({
    groupId: options.groupId,
    partitionAssigners: [assigner],
    sessionTimeout: options.sessionTimeoutMs,
    rebalanceTimeout: options.sessionTimeoutMs,
    heartbeatInterval: options.heartbeatIntervalMs,
    maxWaitTimeInMs: options.maxWaitMs,
    minBytes: 1,
    maxBytes: MAX_FETCH_BYTES,
    maxBytesPerPartition: options.maxBytesPerPartition,
    allowAutoTopicCreation: false,
    retry: { ...RETRY, restartOnFailure: () => Promise.resolve(restarts()) },
  });
}

/** Checks the topics, connects and subscribes. */
async function prepare(
  deps: KafkaDeps,
  settings: KafkaSettings,
  reader: Consumer,
  options: ConsumerOptions,
): Promise<void> {
  const counts = await askBrokers(deps, settings, async (admin) => {
    const found = new Map<string, number>();
    for (const topic of options.topics) {
      const count = await countPartitions(admin, topic);
      if (count === null)
        throw new Fault('LOG_TOPIC_UNKNOWN', `topic ${topic} does not exist`, { retriable: false });
      found.set(topic, count);
    }
    return found;
  });
  equalCount(counts);
  const subscribing = reader
    .connect()
    .then(() => reader.subscribe({ topics: [...options.topics], fromBeginning: true }));
  await within(deps.timers, CONNECT_LIMIT_MS, 'LOG_UNAVAILABLE', subscribing);
}

async function commitOffsets(reader: Consumer, offsets: readonly PartitionOffset[]): Promise<void> {
  try {
    await reader.commitOffsets(
      offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset: String(offset) })),
    );
  } catch (error) {
    if (failureKind(error) !== 'fenced') throw unavailable(error, 'committing offsets');
    const message = 'the group goes on without this generation of this member';
    throw new Fault('LOG_FENCED', message, { retriable: false, cause: error });
  }
}

/** Age of the last answer to a fetch, heartbeat or join. */
function progressClock(clock: Clock, reader: Consumer): () => number {
  let lastMs = clock.monotonicMs();
  const note = () => {
    lastMs = clock.monotonicMs();
  };
  reader.on(reader.events.HEARTBEAT, note);
  reader.on(reader.events.GROUP_JOIN, note);
  reader.on(reader.events.REQUEST, ({ payload }) => {
    if (payload.apiName === 'Fetch') note();
  });
  return () => clock.monotonicMs() - lastMs;
}

/** A handler that throws would make kafkajs start over for ever: it ends the consumer instead. */
function guarded(handlers: ConsumerHandlers, onBroken: (error: unknown) => void): ConsumerHandlers {
  const safely = (call: () => void) => {
    try {
      call();
    } catch (error) {
      onBroken(error);
    }
  };
  return {
    onRecords: (at, records) => handlers.onRecords(at, records),
    onAssigned: (tasks, generation) => safely(() => handlers.onAssigned(tasks, generation)),
    onRevoking: () => safely(() => handlers.onRevoking()),
    onOffsetReset: (at, committed, next) => safely(() => handlers.onOffsetReset(at, committed, next)),
    onCrashed: (error) => handlers.onCrashed(error),
  };
}

function refuseUnsafeTiming({ sessionTimeoutMs, heartbeatIntervalMs, maxWaitMs }: ConsumerOptions): void {
  if (heartbeatIntervalMs + maxWaitMs < sessionTimeoutMs / 2) return;
  const message =
    `heartbeats leave between fetches: ${heartbeatIntervalMs} ms + ${maxWaitMs} ms of waiting ` +
    `must be under half of the session's ${sessionTimeoutMs} ms`;
  throw new Fault('LOG_TIMING_UNSAFE', message, { retriable: false });
}

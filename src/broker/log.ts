// The log as a port: what the stream runtime needs of a Kafka-like broker, and no more, so that another client can stand behind it.
// It promises: records of one partition arrive in offset order; an acknowledged send is durable; tasks are assigned whole (partition i
// of every source topic goes to one member). It never acknowledges input by itself: offsets move only through `commit`.

export interface LogRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Broker or producer time, epoch ms. */
  readonly timestampMs: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

/** Header values as bytes; a header given several times keeps its last value. */
export type Headers = Readonly<Record<string, Uint8Array>>;

export interface OutgoingRecord {
  readonly topic: string;
  /** null: by the key, with the default (murmur2, Java-compatible) partitioner. */
  readonly partition: number | null;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

export interface Acknowledged {
  readonly topic: string;
  readonly partition: number;
}

export interface LogProducer {
  /** Resolves when every in-sync replica has it. Retries broker outages itself until `close`. One batching sender, one send in flight.
   * @throws Fault LOG_RECORD_REFUSED (not retriable: too large, unknown topic), LOG_CLOSED */
  send(record: OutgoingRecord): Promise<Acknowledged>;
  close(): Promise<void>;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface PartitionOffset extends TopicPartition {
  /** The next offset to read. */
  readonly offset: number;
}

export interface ConsumerHandlers {
  /**
   * Takes records in order and returns how many of them it took from the front (0…n). It only enqueues: never waits, never throws.
   * When it took fewer than offered, the consumer keeps the rest for after `resume` (the handler paused the partition).
   */
  onRecords(at: TopicPartition, records: readonly LogRecord[]): number;
  /** Called at every join, with all tasks (partition numbers) that this member owns now; the pauses must be applied again. */
  onAssigned(tasks: readonly number[], generation: number): void;
  /** A rebalance began: ownership may be lost. Synchronous, best effort, cannot be awaited. */
  onRevoking(): void;
  /** The consumer is gone for good and will not come back by itself. */
  onCrashed(error: unknown): void;
  /** The committed offset was out of range: the log lost records, or the retention passed. */
  onOffsetReset(at: TopicPartition, committed: number, next: number): void;
}

export interface ConsumerOptions {
  readonly groupId: string;
  /** All have the same partition count; the co-partitioned sticky assigner keeps partition i of all of them together. */
  readonly topics: readonly string[];
  /** Stable per process over rebalances and reconnects; key of the assignment's stickiness. */
  readonly processId: string;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** How long a fetch may wait at the broker; bounds how fast a resumed partition is noticed. */
  readonly maxWaitMs: number;
  readonly maxBytesPerPartition: number;
  /** By topic, ms: its records are in no hurry, so an adapter to which an empty look costs something may look only this often. */
  readonly lookEveryMs?: ReadonlyMap<string, number>;
}

export interface LogConsumer {
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** Commits what this member still owns in its current generation; others are left out, and so is what lies below where it started.
   * @throws Fault LOG_FENCED, LOG_UNAVAILABLE (retriable) */
  commit(offsets: readonly PartitionOffset[]): Promise<void>;
  /** Monotonic age of the last successful fetch or heartbeat, ms. */
  lastProgressAgeMs(): number;
  /** Leaves the group at once so that others take over without waiting for the session to end. */
  stop(): Promise<void>;
}

export interface TopicSpec {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  /** Topic configuration, e.g. `{ 'cleanup.policy': 'delete', 'retention.ms': '604800000' }`. */
  readonly config: Readonly<Record<string, string>>;
}

export interface TopicDescription extends TopicSpec {
  readonly minInSyncReplicas: number;
}

export interface PartitionLag extends TopicPartition {
  /** null: nothing committed yet. */
  readonly committed: number | null;
  readonly start: number;
  readonly end: number;
}

export interface LogAdmin {
  /** null for a topic that does not exist. */
  describe(topics: readonly string[]): Promise<ReadonlyMap<string, TopicDescription | null>>;
  create(topics: readonly TopicSpec[]): Promise<void>;
  /** Changes configuration entries of an existing topic. */
  alter(topic: string, config: Readonly<Record<string, string>>): Promise<void>;
  lag(groupId: string, topics: readonly string[]): Promise<readonly PartitionLag[]>;
  /** By partition, the first offset whose record is from `atMs` or later; the end where there is none. */
  offsetsAt(topic: string, atMs: number): Promise<ReadonlyMap<number, number>>;
  close(): Promise<void>;
}

/** Reads a topic from an offset without a group, for `pin topics tail` and for audits. */
export interface LogTail {
  stop(): Promise<void>;
}

export interface Log {
  producer(): Promise<LogProducer>;
  consumer(options: ConsumerOptions, handlers: ConsumerHandlers): Promise<LogConsumer>;
  admin(): Promise<LogAdmin>;
  /** A sign of life over a connection of its own. @throws Fault LOG_UNAVAILABLE (retriable) */
  ping(): Promise<void>;
  tail(
    topics: readonly string[],
    from: 'start' | 'end',
    onRecord: (record: LogRecord) => void,
  ): Promise<LogTail>;
}

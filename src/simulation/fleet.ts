// The processes of a simulation: up to three places, in each at most one living incarnation. Whoever dies is started again a while later,
// as a supervisor would; a processor that fails by itself is a bug of ours and ends the schedule.
import type { Provider } from '../providers/provider.ts';
import { isFault, messageOf } from '../runtime/fault.ts';
import type { Ids } from '../runtime/ids.ts';
import type { LogFields, Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { MemoryDatabase } from '../state/memory-database.ts';
import { localFeed } from '../state/notification-feed.ts';
import type { Codec } from '../streams/codec.ts';
import type { Topics } from '../streams/topics.ts';
import type { Topology } from '../topology/graph.ts';
import { type Processor, type ProcessorSettings, startProcessor } from '../topology/processor.ts';
import { DEFAULT_RETENTION } from '../topology/retention-settings.ts';
import { type Incarnation, incarnation } from './incarnation.ts';
import type { SimulatedBroker } from './log/simulated-log.ts';
import { SECRET_MARK } from './secret-mark.ts';
import { lockHolders, simulatedStore } from './simulated-store.ts';
import type { Vendor } from './vendor.ts';
import type { Witness } from './witness.ts';
import type { World } from './world.ts';

export interface FleetParts {
  readonly world: World;
  readonly broker: SimulatedBroker;
  readonly database: MemoryDatabase;
  readonly vendors: readonly Vendor[];
  readonly topics: Topics;
  readonly topology: Topology;
  readonly codec: Codec;
  readonly ids: Ids;
  readonly metrics: Metrics;
  readonly settings: Omit<ProcessorSettings, 'processId'>;
  readonly witness: Witness;
}

export interface Member {
  readonly process: Incarnation;
  /** null while it starts. */
  processor: Processor | null;
}

/** What the outside makes of all processes. */
interface Conditions {
  /** Nobody gets an answer from the tables before. */
  awayUntilMs: number;
  /** Of those who start; 0: they do not count deaths. */
  cautionMs: number;
  /** Those who start purge what is final, soon and whole. */
  keepsNothing: boolean;
}

export interface Fleet {
  /** Starts a process in the place, unless one lives there. */
  start(slot: number, skewMs: number): void;
  /** The one that lives in the place; null when none does. */
  memberIn(slot: number): Member | null;
  living(): readonly Member[];
  /** Asks it to stop gracefully; it is started again later. */
  stop(slot: number): void;
  readonly conditions: Conditions;
  /** Ends everybody at once, and nobody is started again by itself. */
  killAll(): void;
}

const RESTART_MS = 4_000;
const RESTART_AFTER_STOP_MS = 1_000;

export function simulatedFleet(parts: FleetParts): Fleet {
  const { world, broker, database } = parts;
  const members = new Map<number, Member>();
  const skews = new Map<number, number>();
  const locks = lockHolders();
  let incarnations = 0;
  /** Those who died in an earlier era are not started again. */
  let era = 0;
  const conditions = calm(parts.settings.cautionMs);

  const again = (slot: number, afterMs: number) => {
    const own = era;
    world.time.after(afterMs, () => {
      if (era === own) start(slot, skews.get(slot) ?? 0);
    });
  };
  const onSilent = (slot: number) => (process: Incarnation) => {
    broker.group.silent(process);
    parts.witness.fellSilent();
    // A silent session keeps a lock no longer than the server waits for its client.
    const sinceMs = process.silentSinceMs();
    const waitMs = process.state() === 'dead' ? 1 : parts.settings.sessionTimeoutMs * 2;
    world.time.after(waitMs, () => {
      if (process.silentSinceMs() === sinceMs) locks.loseThoseOf(database, process);
    });
    if (process.state() !== 'dead') return;
    members.delete(slot);
    again(slot, RESTART_MS);
  };
  const start = (slot: number, skewMs: number) => {
    if (members.has(slot)) return;
    skews.set(slot, skewMs);
    incarnations += 1;
    const name = `p${slot + 1}.${incarnations}`;
    const process = incarnation(
      { time: world.time, onSilent: onSilent(slot), onThaw: () => world.tell(name, () => 'goes on') },
      { name, slot: `p${slot + 1}`, skewMs },
    );
    const member: Member = { process, processor: null };
    members.set(slot, member);
    world.tell(name, () => 'starts');
    run(parts, locks, member, conditions).catch((error: unknown) => {
      if (!isFault(error)) world.violate('no process fails by itself', messageOf(error));
      process.kill();
    });
  };
  return {
    conditions,
    start,
    memberIn: (slot) => members.get(slot) ?? null,
    living: () => [...members.values()],
    stop(slot) {
      const member = members.get(slot);
      const processor = member?.processor;
      if (member === undefined || processor == null) return;
      world.tell(member.process.name, () => 'is asked to stop');
      void processor.stop().then(() => {
        world.tell(member.process.name, () => 'has stopped');
        if (members.get(slot) !== member) return;
        member.process.kill();
        members.delete(slot);
        again(slot, RESTART_AFTER_STOP_MS);
      });
    },
    killAll() {
      for (const { process } of [...members.values()]) {
        process.kill();
        broker.group.expel(process);
      }
      era += 1;
    },
  };
}

const calm = (cautionMs: number): Conditions => ({ awayUntilMs: 0, cautionMs, keepsNothing: false });

const KEEPS_NOTHING: Pick<ProcessorSettings, 'purgePeriodMs' | 'retention'> = {
  purgePeriodMs: 2_000,
  retention: { ...DEFAULT_RETENTION, finalMs: 0, unreadMs: 0 },
};

async function run(
  parts: FleetParts,
  locks: ReturnType<typeof lockHolders>,
  member: Member,
  conditions: Conditions,
): Promise<void> {
  const { world, broker, database, topics, settings } = parts;
  const { process } = member;
  const logger = watching(world, process, parts.witness);
  const store = simulatedStore({
    world,
    process,
    database,
    locks,
    logger,
    isAway: () => world.time.nowMs() < conditions.awayUntilMs,
    onServing: parts.witness.serving,
    onControls: parts.witness.sawControls,
    onDecided: parts.witness.decided,
  });
  const providers = new Map<string, Provider>(
    parts.vendors.map((vendor) => [vendor.facts.providerKey, vendor.adapterOf(process)]),
  );
  const processor = await startProcessor(
    {
      clock: process.clock,
      timers: process.timers,
      ids: parts.ids,
      logger,
      metrics: parts.metrics,
      log: broker.clientOf(process),
      store,
      codec: parts.codec,
      topics,
      providers,
      feed: localFeed({ logger }),
      hashRecipient: (recipient) => `hash-${recipient.length}`,
    },
    parts.topology,
    {
      processId: process.slot,
      ...settings,
      cautionMs: conditions.cautionMs,
      ...(conditions.keepsNothing ? KEEPS_NOTHING : {}),
    },
  );
  member.processor = processor;
}

/** A processor that fails says why before its state changes. No line holds what only the recipient may read. */
function watching({ tell, violate }: World, process: Incarnation, witness: Witness): Logger {
  const line = (event: string, fields: LogFields = {}) => {
    // Whoever takes over finds no goodbye, as after a death.
    if (event === 'goodbye.unsaid') witness.fellSilent();
    for (const name in fields)
      if (String(fields[name]).includes(SECRET_MARK)) violate('S16 no secret leaves', `${event}: ${name}`);
    tell(process.name, () => `${event} ${wordsOf(fields)}`);
  };
  return {
    debug: line,
    info: line,
    warn: line,
    error(event, fields) {
      line(event, fields);
      if (event !== 'processor.failed' && event !== 'provider.threw') return;
      violate('no process fails by itself', `${process.name}: ${event} ${wordsOf(fields ?? {})}`);
    },
  };
}

function wordsOf(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

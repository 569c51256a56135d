// Rows by their keys, and what a processor remembers beside them, in the in-memory store.
import type { NotificationId } from '../domain/notification-id.ts';
import { invariant } from '../runtime/fault.ts';
import type { MemoryDatabase, MemoryRow } from './memory-database.ts';
import type { StepRunner } from './memory-faults.ts';
import { MAX_LOAD_KEYS, type NotificationStore } from './store.ts';

type Records = Pick<
  NotificationStore,
  | 'load'
  | 'refuseCommand'
  | 'wasRefused'
  | 'quarantine'
  | 'lifeOf'
  | 'saveLife'
  | 'channels'
  | 'saveChannel'
  | 'storedPartitions'
  | 'rememberPartitions'
>;

export function memoryRecords(database: MemoryDatabase, step: StepRunner): Records {
  return {
    load(ids) {
      invariant(ids.length <= MAX_LOAD_KEYS, `a load of ${ids.length} keys`);
      return step('load', ids, () => {
        const found = new Map<NotificationId, MemoryRow>();
        for (const id of ids) {
          const there = database.rows.get(id);
          if (there !== undefined) found.set(id, there);
        }
        return { nowMs: database.clock.nowMs(), found };
      });
    },
    refuseCommand: (commandId) => step('other', [], () => refuseOnce(database, commandId)),
    wasRefused: (commandId) => step('other', [], () => database.refusedCommands.has(commandId)),
    quarantine: (input) =>
      step('other', [], () => {
        const origin = `${input.topic}/${input.partition}/${input.offset}`;
        if (database.quarantine.has(origin)) return;
        database.quarantine.set(origin, { ...input, notificationId: null, atMs: database.clock.nowMs() });
      }),
    lifeOf: (partition) => step('other', [], () => database.lives.get(partition) ?? null),
    saveLife: (partition, next) =>
      step('other', [], () => {
        if ((database.lives.get(partition)?.version ?? 0) !== next.version - 1) return false;
        database.lives.set(partition, next);
        return true;
      }),
    channels: () => step('other', [], () => [...database.channels.values()]),
    saveChannel: (config) => step('other', [], () => void database.channels.set(config.channel, config)),
    storedPartitions: () => step('other', [], () => database.settings.get('partition-count') ?? null),
    rememberPartitions: (count) =>
      step('other', [], () => {
        const stored = database.settings.get('partition-count') ?? count;
        database.settings.set('partition-count', stored);
        return stored;
      }),
  };
}

function refuseOnce({ refusedCommands, clock }: MemoryDatabase, commandId: string): void {
  if (!refusedCommands.has(commandId)) refusedCommands.set(commandId, Math.floor(clock.nowMs()));
}

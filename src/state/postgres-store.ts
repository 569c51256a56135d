// The store on Postgres: writer lanes with a connection each, a pool for reading, a connection for each lock that is held.
// What it promises is the port's (store.ts); how is said in the rooms' files that it is put together from.
import type { Clock } from '../runtime/clock.ts';
import { invariant } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Timers } from '../runtime/timers.ts';
import { channelTable } from './channel-table.ts';
import { controlTable } from './control-table.ts';
import { expireOld } from './expire-old.ts';
import { groupCommit } from './group-commit.ts';
import { lifeTable } from './life-table.ts';
import { loadBatcher } from './load-batcher.ts';
import { keyParameters, loadedOf, loadStatement } from './load-rows.ts';
import { namedLock } from './named-lock.ts';
import { outageWatch } from './outage-watch.ts';
import { parkedTable } from './parked-table.ts';
import { partitionCounter } from './partition-count.ts';
import { postgresFlusher } from './postgres-flusher.ts';
import { postgresPool } from './postgres-pool.ts';
import { postgresSession } from './postgres-session.ts';
import { type PostgresSettings, quotedName } from './postgres-settings.ts';
import { purgeFinal } from './purge-final.ts';
import { pushTokenTable } from './push-token-table.ts';
import { inputParameters, quarantineStatement } from './quarantine-table.ts';
import { refusedCommands } from './refused-commands.ts';
import { MAX_LOAD_KEYS, type NotificationStore } from './store.ts';
import { sweepQueries } from './sweep-queries.ts';

export interface PostgresStoreSettings extends PostgresSettings {
  /** Connections that write; a key has always the same one. */
  readonly writerLanes: number;
  readonly maxRowsPerFlush: number;
  /** Connections that read. */
  readonly readers: number;
}

export const DEFAULT_STORE_SETTINGS = {
  schema: 'pin',
  applicationName: 'pin',
  writerLanes: 2,
  maxRowsPerFlush: 250,
  readers: 4,
} as const;

export interface PostgresStoreDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Told when writes stop being answered (since when, epoch ms) and when they are again (null). */
  readonly onOutage?: (unavailableSinceMs: number | null) => void;
}

/** Connects when it is first used. The schema must be migrated (migrate.ts). */
export function postgresStore(deps: PostgresStoreDeps, settings: PostgresStoreSettings): NotificationStore {
  const schema = quotedName(settings.schema);
  const outage = outageWatch({ ...deps, onChange: deps.onOutage ?? (() => undefined) });
  const flushers = Array.from({ length: settings.writerLanes }, () =>
    postgresFlusher(postgresSession(deps, settings), schema),
  );
  const writes = groupCommit({ ...deps, flushers, outage }, settings);
  const pool = postgresPool(deps, { ...settings, connections: settings.readers });
  const loading = loadStatement(schema);
  const load = loadBatcher(async (ids) => loadedOf(await pool.ask(loading, keyParameters(ids))));
  const quarantine = quarantineStatement(schema);
  const channels = channelTable(pool, schema);
  const controls = controlTable(pool, schema);
  return {
    ...writes,
    ...sweepQueries(pool, schema),
    ...channels,
    ...controls,
    ...partitionCounter(pool, schema),
    ...parkedTable(pool, schema),
    ...refusedCommands(pool, schema),
    ...pushTokenTable(pool, schema),
    async controls() {
      const [configs, pauses, gates] = await Promise.all([
        channels.channels(),
        controls.pauses(),
        controls.gates(),
      ]);
      return { channels: configs, pauses, gates };
    },
    ...lifeTable(pool, schema),
    purgeFinal: purgeFinal(pool, schema),
    expire: expireOld(pool, schema),
    underLock: namedLock(deps, settings),
    unavailableSinceMs: outage.unavailableSinceMs,
    load(ids) {
      invariant(ids.length <= MAX_LOAD_KEYS, `a load of ${ids.length} keys`);
      return load(ids);
    },
    async quarantine(input) {
      await pool.ask(quarantine, inputParameters(input));
    },
    async close() {
      await writes.close();
      await pool.close();
    },
  };
}

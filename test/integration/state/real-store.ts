// A Postgres store over a test's database, as the contract suite and the tests of this folder want it.
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { systemTimers } from '../../../src/runtime/timers.ts';
import { postgresInbox } from '../../../src/state/inbox-table.ts';
import {
  DEFAULT_STORE_SETTINGS,
  type PostgresStoreDeps,
  type PostgresStoreSettings,
  postgresStore,
} from '../../../src/state/postgres-store.ts';
import type { NotificationStore } from '../../../src/state/store.ts';
import type { StoreUnderTest } from '../../contract/state/store-world.ts';
import type { TestDatabase } from '../../support/database.ts';

export function realStore(
  database: TestDatabase,
  settings: Partial<PostgresStoreSettings> = {},
  deps: Partial<PostgresStoreDeps> = {},
): NotificationStore {
  return postgresStore(
    { clock: systemClock, timers: systemTimers, logger: silentLogger, ...deps },
    { ...DEFAULT_STORE_SETTINGS, schema: database.schema, databaseUrl: database.url, ...settings },
  );
}

export async function realStoreUnderTest(database: TestDatabase): Promise<StoreUnderTest> {
  await database.clear();
  const inbox = postgresInbox(
    { logger: silentLogger },
    { schema: database.schema, databaseUrl: database.url, applicationName: 'pin-inbox' },
  );
  return {
    inbox,
    open: () => Promise.resolve(realStore(database)),
    quarantined: () =>
      database.query<{ reason: string; notificationId: NotificationId | null; offset: string | null }>(
        `select reason, notification_id as "notificationId", "offset" from pin.quarantine order by id`,
      ),
    end: () => inbox.close(),
  };
}

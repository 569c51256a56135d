// Which backends of a test's database wait for a lock: asked again and again, because Postgres gives no signal of it.
import { invariant } from '../../../src/runtime/fault.ts';
import type { TestDatabase } from '../../support/database.ts';

const MAX_LOOKS = 2_000;

/** Until a backend waits for a lock of another; only one with this application name, when one is given. */
export async function untilBlocked(
  database: TestDatabase,
  applicationName: string | null = null,
): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const blocked = await database.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and application_name = coalesce($1, application_name)`,
      [applicationName],
    );
    if (blocked.length > 0) return;
  }
  invariant(false, 'nobody came to wait for the lock');
}

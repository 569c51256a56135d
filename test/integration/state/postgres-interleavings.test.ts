import { afterAll, beforeAll } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { interleavingContract } from '../../contract/state/interleaving-contract.ts';
import type { DatabaseUnderTest, RowInTable } from '../../contract/state/interleaving-world.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { untilBlocked } from './blocked-backends.ts';
import { type HeldWire, heldWire } from './held-wire.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
afterAll(() => database.drop());

interleavingContract('processes on Postgres', () => Promise.resolve(overWires()));

function overWires(): DatabaseUnderTest {
  const wires: HeldWire[] = [];
  return {
    async process() {
      const wire = await heldWire(database.url);
      const applicationName = `process-${wires.push(wire)}`;
      const store = realStore(database, { databaseUrl: wire.url, applicationName, writerLanes: 1 });
      return { store, hold: wire.hold, waits: () => untilBlocked(database, applicationName) };
    },
    async row(id) {
      const [row] = await database.query<RowInTable & Record<string, unknown>>(ROW_SQL, [id]);
      return row ?? null;
    },
    async quarantined() {
      const rows = await database.query<{ id: NotificationId | null }>(
        'select notification_id as id from pin.quarantine order by id',
      );
      return rows.map(({ id }) => id);
    },
    async end() {
      await Promise.all(wires.map((wire) => wire.close()));
      await database.clear();
    },
  };
}

const ROW_SQL = `select n.version, n.final, n.attempts, n.claim_token as "claimToken", n.write_token as "writeToken",
  n.outcome_seq as "outcomeSeq", n.published_seq as "publishedSeq", n.wake_seq as "wakeSeq", n.wake_in_log as "wakeInLog",
  (date_part('epoch', n.wake_at) * 1000)::float8 as "wakeAtMs", (date_part('epoch', n.read_at) * 1000)::float8 as "readAtMs",
  c.payload_hash as "payloadHash"
from pin.notifications as n join pin.notification_contents as c on c.id = n.id where n.id = $1`;

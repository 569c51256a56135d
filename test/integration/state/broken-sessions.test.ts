// Sessions that end or fall silent in the middle of a flush or under a lock: nobody waits for them longer than the limits say, what was
// lost is tried again, and nothing is written twice. The tests run side by side, because they wait for the product's own limits.
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import type { NotificationStore } from '../../../src/state/store.ts';
import type { HoldPoint } from '../../contract/state/interleaving-world.ts';
import { aChange, anId, anInsertion, aWrite } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { serverPid, stackAddresses, stackIsOurs } from '../../support/stack-servers.ts';
import { until } from '../../support/until.ts';
import { type HeldWire, heldWire } from './held-wire.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
let processes = 0;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
afterAll(async () => {
  for (const end of ends) await end();
  await database.drop();
});

interface Wired {
  readonly wire: HeldWire;
  readonly store: NotificationStore;
  readonly applicationName: string;
  readonly outages: (number | null)[];
}

/** A process of two writer lanes. */
async function wired(): Promise<Wired> {
  processes += 1;
  const applicationName = `process-${processes}`;
  const wire = await heldWire(database.url);
  const outages: (number | null)[] = [];
  const store = realStore(
    database,
    { databaseUrl: wire.url, applicationName },
    { onOutage: (sinceMs) => outages.push(sinceMs) },
  );
  ends.push(async () => {
    await store.close();
    await wire.close();
  });
  return { wire, store, applicationName, outages };
}

/** By its last digit an id belongs to one lane or the other. */
const idOfLane = (lane: 0 | 1): NotificationId => anId(`${anId().slice(0, -1)}${lane}`);

const attempted = (store: NotificationStore, id: NotificationId, attempts: number) =>
  store.write(aWrite(attempts, aChange({ id, attempts })));

async function rowOf(id: NotificationId): Promise<{ version: number; attempts: number } | null> {
  const [row] = await database.query<{ version: number; attempts: number }>(
    'select version, attempts from pin.notifications where id = $1',
    [id],
  );
  return row ?? null;
}

const pidsOf = async (applicationName: string): Promise<readonly number[]> =>
  (
    await database.query<{ pid: number }>('select pid from pg_stat_activity where application_name = $1', [
      applicationName,
    ])
  ).map(({ pid }) => pid);

describe.concurrent('a session', () => {
  test.for<HoldPoint>(['before-statements', 'before-commit', 'before-answer'])(
    'that an administrator ends with all others, %s of a flush, costs nobody a write and doubles none',
    async (point, { expect }) => {
      const { wire, store, applicationName } = await wired();
      const id = idOfLane(0);
      await store.insert(anInsertion({ id }));
      await store.load([id]);
      const held = wire.hold(point);
      const writing = attempted(store, id, 1);
      await held.reached;
      await database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
        [applicationName],
      );
      expect(await writing).toMatchObject({ kind: 'written', row: { version: 2, attempts: 1 } });
      expect(await attempted(store, id, 2)).toMatchObject({ kind: 'written', row: { version: 3 } });
      const loaded = await store.load([id]).catch(() => store.load([id]));
      expect(loaded.found.get(id)?.row).toMatchObject({ version: 3, attempts: 2 });
    },
  );

  test('in which BEGIN failed tells no lie about rows that were committed or refused alone', async ({
    expect,
  }) => {
    const { wire, store } = await wired();
    const [written, refused, inserted] = [idOfLane(0), idOfLane(0), idOfLane(0)];
    for (const id of [written, refused]) await store.insert(anInsertion({ id }));
    wire.garbleBegin();
    const answers = await Promise.all([
      store.insert(anInsertion({ id: inserted })),
      attempted(store, written, 1),
      store.write(aWrite(1, aChange({ id: refused, attempts: -1 }))),
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(['written', 'written', 'quarantined']);
    expect(await rowOf(written)).toEqual({ version: 2, attempts: 1 });
    expect(await rowOf(inserted)).toMatchObject({ version: 1 });
  });

  test('whose flush the network swallows is given up, told as an outage, and blocks neither the other lane nor a load', async ({
    expect,
  }) => {
    const { wire, store, outages } = await wired();
    const [hanging, free] = [idOfLane(0), idOfLane(1)];
    for (const id of [hanging, free]) await store.insert(anInsertion({ id }));
    const held = wire.hold('before-statements');
    let isAnswered = false;
    const writing = attempted(store, hanging, 1).finally(() => {
      isAnswered = true;
    });
    await held.reached;
    expect(await attempted(store, free, 1)).toMatchObject({ kind: 'written' });
    expect((await store.load([hanging, free])).found.size).toBe(2);
    expect(isAnswered).toBe(false);
    expect(await writing).toMatchObject({ kind: 'written', row: { version: 2 } });
    expect(outages).toEqual([expect.any(Number), null]);
  });

  test('whose client vanishes before its COMMIT keeps no row from the next try', async ({ expect }) => {
    const { wire, store } = await wired();
    const id = idOfLane(0);
    await store.insert(anInsertion({ id }));
    const held = wire.hold('before-commit');
    const writing = attempted(store, id, 1);
    await held.reached;
    wire.vanish();
    expect(await writing).toMatchObject({ kind: 'written', row: { version: 2 } });
    expect(await rowOf(id)).toEqual({ version: 2, attempts: 1 });
  });

  test('whose client freezes before its COMMIT gives the row to another process', async ({ expect }) => {
    const [frozen, other] = [await wired(), await wired()];
    const id = idOfLane(0);
    await frozen.store.insert(anInsertion({ id }));
    const held = frozen.wire.hold('before-commit');
    const late = attempted(frozen.store, id, 1);
    await held.reached;
    const taken = other.store.write(aWrite(1, aChange({ id, attempts: 9 })));
    expect(await taken).toMatchObject({ kind: 'written', row: { version: 2, attempts: 9 } });
    expect(await late).toEqual({ kind: 'stale' });
    expect(await rowOf(id)).toEqual({ version: 2, attempts: 9 });
  });

  test('whose server process is frozen is given up; what it does when it wakes up changes nothing', async ({
    expect,
    skip,
    onTestFailed,
  }) => {
    if (!stackIsOurs() || (await serverPid('postgres')) === null)
      return skip('the server is not ours, or its processes have other numbers here');
    const { store, applicationName, outages } = await wired();
    const id = idOfLane(0);
    await store.insert(anInsertion({ id }));
    const [pid] = await pidsOf(applicationName);
    invariant(pid !== undefined, 'one lane is connected');
    process.kill(pid, 'SIGSTOP');
    const wake = () => void process.kill(pid, 'SIGCONT');
    // A test that fails must not leave it so: a frozen session stops whole databases from being dropped.
    onTestFailed(wake);
    expect(await attempted(store, id, 1)).toMatchObject({ kind: 'written', row: { version: 2 } });
    expect(outages).toEqual([expect.any(Number), null]);
    wake();
    await until('the frozen session to end', async () =>
      (await pidsOf(applicationName)).includes(pid) ? null : true,
    );
    expect(await rowOf(id)).toEqual({ version: 2, attempts: 1 });
  });

  test('that holds a lock and falls silent loses it, and its holder is told', async ({ expect }) => {
    const [silent, other] = [await wired(), await wired()];
    const passed = silent.store.underLock('sweep', async (signal) => {
      silent.wire.vanish();
      const taken = await until(
        'the lock',
        () => other.store.underLock('sweep', () => Promise.resolve('mine')),
        28_000,
      );
      return { taken, isTold: signal.aborted };
    });
    expect(await passed).toEqual({ taken: 'mine', isTold: true });
  });
});

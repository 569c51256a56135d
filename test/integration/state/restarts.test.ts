// Postgres goes away in the middle of a flush and comes back: what was committed is known, the rest is tried again, nothing is doubled.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HoldPoint } from '../../contract/state/interleaving-world.ts';
import { aChange, anInsertion, aWrite, someIds } from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses, stackIsOurs, whileDown } from '../../support/stack-servers.ts';
import { heldWire } from './held-wire.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
afterAll(() => database.drop());

describe.skipIf(!stackIsOurs())('a restart of Postgres', () => {
  const restarts: readonly (readonly ['stop' | 'kill', HoldPoint])[] = [
    ['stop', 'before-commit'],
    ['kill', 'before-answer'],
  ];
  test.each(restarts)('(%s, %s of a flush) costs nobody a write and doubles none', async (how, point) => {
    const outages: (number | null)[] = [];
    const wire = await heldWire(database.url);
    const store = realStore(
      database,
      { databaseUrl: wire.url, writerLanes: 1 },
      { onOutage: (sinceMs) => outages.push(sinceMs) },
    );
    const ids = someIds(20);
    await Promise.all(ids.map((id) => store.insert(anInsertion({ id }))));
    const held = wire.hold(point);
    const flushing = ids.map((id) => store.write(aWrite(1, aChange({ id, attempts: 1 }))));
    await held.reached;
    const waiting = await whileDown('postgres', how, () =>
      Promise.resolve([
        ...ids.map((id) => store.write(aWrite(2, aChange({ id, attempts: 2 })))),
        store.insert(anInsertion()),
      ]),
    );
    for (const answer of await Promise.all(flushing))
      expect(answer).toMatchObject({ kind: 'written', row: { version: 2, attempts: 1 } });
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(
      Array.from({ length: 21 }, () => 'written'),
    );
    const { found } = await store.load(ids);
    for (const id of ids) expect(found.get(id)?.row).toMatchObject({ version: 3, attempts: 2 });
    expect(outages).toEqual([expect.any(Number), null]);
    await store.close();
    await wire.close();
  });
});

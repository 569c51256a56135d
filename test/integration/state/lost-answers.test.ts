// The network loses what it likes; the store still answers what is true in Postgres.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NotificationStore } from '../../../src/state/store.ts';
import {
  aChange,
  aClaim,
  anId,
  anInsertion,
  anOutcome,
  aWrite,
} from '../../contract/state/state-builders.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { type CuttingProxy, cuttingProxy } from './cutting-proxy.ts';
import { realStore } from './real-store.ts';

let database: TestDatabase;
let proxy: CuttingProxy;
let store: NotificationStore;

beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
beforeEach(async () => {
  proxy = await cuttingProxy(database.url);
  store = realStore(database, { databaseUrl: proxy.url, writerLanes: 1 });
});
afterEach(async () => {
  proxy.open();
  await store.close();
  await proxy.close();
  await database.clear();
});
afterAll(() => database.drop());

const versionOf = async (id: string) => {
  const [row] = await database.query<{ version: number }>(
    'select version from pin.notifications where id = $1',
    [id],
  );
  return row?.version;
};

describe('a COMMIT whose answer was lost', () => {
  test('of an insert is answered written, once', async () => {
    const insertion = anInsertion({ claim: aClaim(), attempts: 1 });
    const cut = proxy.cutAnswer('commit', 'COMMIT');
    const answer = await store.insert(insertion);
    await cut;
    expect(answer).toMatchObject({
      kind: 'written',
      row: { version: 1, claim: insertion.change.next.claim },
    });
    const { found } = await store.load([insertion.change.next.id]);
    expect(found.get(insertion.change.next.id)?.row).toEqual(answer.kind === 'written' ? answer.row : null);
  });

  test('of a write is answered written, and the write is not applied twice', async () => {
    const id = anId();
    await store.insert(anInsertion({ id }));
    const cut = proxy.cutAnswer('commit', 'COMMIT');
    const answer = await store.write(aWrite(1, aChange({ id, attempts: 1 })));
    await cut;
    expect(answer).toMatchObject({ kind: 'written', row: { version: 2, attempts: 1 } });
    expect(await versionOf(id)).toBe(2);
  });

  test('of many keys is answered for each of them', async () => {
    const kept = anId();
    await store.insert(anInsertion({ id: kept }));
    const cut = proxy.cutAnswer('commit', 'COMMIT');
    const answers = await Promise.all([
      store.insert(anInsertion({ id: kept })),
      ...Array.from({ length: 60 }, () => store.insert(anInsertion())),
      store.write(aWrite(9, aChange())),
    ]);
    await cut;
    expect(answers[0]).toEqual({ kind: 'exists' });
    expect(answers.filter(({ kind }) => kind === 'written')).toHaveLength(60);
    expect(answers.at(-1)).toEqual({ kind: 'stale' });
  });

  test('is answered stale or exists when another process wrote on top of it', async () => {
    const other = realStore(database);
    const [written, inserted] = [anId(), anId()];
    await store.insert(anInsertion({ id: written }));
    const cut = proxy.cutAnswer('commit', 'COMMIT');
    const answers = Promise.all([
      store.write(aWrite(1, aChange({ id: written, attempts: 1 }))),
      store.insert(anInsertion({ id: inserted })),
    ]);
    proxy.shut();
    await cut;
    await other.write(aWrite(2, aChange({ id: written, attempts: 7 })));
    await other.write(aWrite(1, aChange({ id: inserted, attempts: 7 })));
    proxy.open();
    expect(await answers).toEqual([{ kind: 'stale' }, { kind: 'exists' }]);
    await other.close();
  });

  test('of marks is good enough: they are repeated without harm', async () => {
    const insertion = anInsertion({ status: 'Sent', final: 'accepted', outcome: anOutcome(), outcomeSeq: 1 });
    await store.insert(insertion);
    store.mark(insertion.change.next.id, 1);
    const cut = proxy.cutAnswer('commit', 'COMMIT');
    await store.drainMarks();
    await cut;
    const { found } = await store.load([insertion.change.next.id]);
    expect(found.get(insertion.change.next.id)?.row).toMatchObject({
      publishedSeq: 1,
      wakeAtMs: null,
      version: 1,
    });
  });
});

test('a flush that the server never saw is tried again', async () => {
  const id = anId();
  await store.insert(anInsertion({ id }));
  const cut = proxy.cutRequest('commit');
  const answer = await store.write(aWrite(1, aChange({ id, attempts: 1 })));
  await cut;
  expect(answer).toMatchObject({ kind: 'written', row: { version: 2 } });
});

test('a load whose answer was lost fails as retriable, and the next one works', async () => {
  const id = anId();
  await store.insert(anInsertion({ id }));
  await store.load([id]);
  const cut = proxy.cutRequest('pin_load_rows');
  await expect(store.load([id])).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE', retriable: true });
  await cut;
  expect((await store.load([id])).found.size).toBe(1);
});

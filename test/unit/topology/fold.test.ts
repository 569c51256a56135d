// An answer is folded until the row says it, whoever wrote in between; what has no row any more is kept beside the table.
import { expect, test } from 'vitest';
import { finish } from '../../../src/domain/finish.ts';
import type { Notification } from '../../../src/domain/notification.ts';
import { recorded } from '../../../src/domain/sent.ts';
import { settleAnswer } from '../../../src/domain/settle.ts';
import { Fault } from '../../../src/runtime/fault.ts';
import type { NotificationStore, QuarantinedInput } from '../../../src/state/store.ts';
import { controlWatch } from '../../../src/topology/control-watch.ts';
import { type Engine, factsFor } from '../../../src/topology/engine.ts';
import { foldUntilRecorded } from '../../../src/topology/fold.ts';
import { openEngine } from '../../../src/topology/open-engine.ts';
import { TEST_SETTINGS } from '../../../src/topology/test-driver.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import { type Driven, drive, settled, stored, WAITS } from './driving.ts';

const AWAY = new Fault('STATE_UNAVAILABLE', 'away', { retriable: true });

/** A row whose call is out, and an engine beside the processor. */
async function aCallOut(
  store: (plain: NotificationStore) => NotificationStore = (plain) => plain,
  stopping: AbortSignal = new AbortController().signal,
) {
  const driver = await drive({ script: { fallback: WAITS } });
  await driver.request(aRequest());
  const row = await stored(driver, anId());
  const content = (await driver.store.load([anId()])).found.get(anId())?.content ?? null;
  const signals = { stopping, ending: new AbortController().signal };
  const ports = { ...driver.ports, store: store(driver.store) };
  const controls = controlWatch(driver.store);
  const engine = openEngine(ports, TEST_SETTINGS, await driver.log.producer(), controls, signals);
  await controls.refresh(engine.operatorGates);
  return { driver, engine, current: { row, content } };
}

function acceptedBy(engine: Engine, row: Notification, messageId: string) {
  const call = {
    cycle: 0,
    attempt: 1,
    claimToken: row.claim?.token ?? '',
    providerKey: 'mail',
    outcome: { kind: 'accepted', providerMessageId: messageId },
  } as const;
  return {
    fold: (now: Notification) => settleAnswer(now, call, factsFor(engine, now, null)),
    token: `token-of-${messageId}`,
    attempt: 1,
    said: `accepted ${messageId}`,
  };
}

async function writeBetween(driver: Driven, trail: string): Promise<void> {
  const row = await stored(driver, anId());
  await driver.store.write({
    expectedVersion: row.version,
    change: recorded(row, trail),
    writeToken: anId(1_000 + row.version),
  });
}

test('a stale write is folded again into what is there now', async () => {
  const { driver, engine, current } = await aCallOut();
  await writeBetween(driver, 'somebody-else');
  const folded = await settled(
    driver,
    foldUntilRecorded(engine, current, acceptedBy(engine, current.row, 'm-1')),
  );
  expect(folded?.row).toMatchObject({ status: 'Sent', providerMessageId: 'm-1', version: 3 });
  expect(folded?.row.trail).toContain('somebody-else');
});

test('an answer is recorded also while the processor stops and the store is away', async () => {
  let failures = 3;
  const shaky = (plain: NotificationStore): NotificationStore => ({
    ...plain,
    load(ids) {
      failures -= 1;
      return failures >= 0 ? Promise.reject(AWAY) : plain.load(ids);
    },
  });
  const { driver, engine, current } = await aCallOut(shaky, AbortSignal.abort());
  await writeBetween(driver, 'somebody-else');
  const folding = foldUntilRecorded(engine, current, acceptedBy(engine, current.row, 'm-1'));
  await driver.time.advance(2_000);
  expect((await folding)?.row).toMatchObject({ status: 'Sent', providerMessageId: 'm-1' });
});

test('an answer that the row says already changes nothing', async () => {
  const { driver, engine, current } = await aCallOut();
  const answer = acceptedBy(engine, current.row, 'm-1');
  await settled(driver, foldUntilRecorded(engine, current, answer));
  const before = await stored(driver, anId());
  expect(await settled(driver, foldUntilRecorded(engine, current, answer))).toBeNull();
  expect(await stored(driver, anId())).toMatchObject({ version: before.version });
});

test('an outcome that is owed is published before a later answer changes the row', async () => {
  const { driver, engine, current } = await aCallOut();
  const ending = {
    status: 'Failed',
    reason: 'cancelled',
    error: null,
    providerMessageId: null,
    evidence: 'none',
    trail: 'cancelled',
  } as const;
  await driver.store.write({
    expectedVersion: current.row.version,
    change: finish(current.row, ending, factsFor(engine, current.row, null)),
    writeToken: anId(2_000),
  });
  const publishedAt: number[] = [];
  const watched: Engine = {
    ...engine,
    store: {
      ...engine.store,
      write: (write) => {
        publishedAt.push(driver.dispatched().length);
        return driver.store.write(write);
      },
    },
  };
  const folded = await settled(
    driver,
    foldUntilRecorded(watched, current, acceptedBy(engine, current.row, 'm-1')),
  );
  expect(publishedAt).toEqual([0, 1]);
  expect(folded?.row).toMatchObject({ status: 'Sent', outcomeSeq: 2, publishedSeq: 1 });
});

test('answers for rows that were purged are kept, each one, with what they said', async () => {
  const kept: QuarantinedInput[] = [];
  const gone = (plain: NotificationStore): NotificationStore => ({
    ...plain,
    write: () => Promise.resolve({ kind: 'stale' }),
    load: async (ids) => ({ ...(await plain.load(ids)), found: new Map() }),
    quarantine: (input) => {
      kept.push(input);
      return Promise.resolve();
    },
  });
  const { driver, engine, current } = await aCallOut(gone);
  for (const id of ['m-1', 'm-2'])
    expect(
      await settled(driver, foldUntilRecorded(engine, current, acceptedBy(engine, current.row, id))),
    ).toBeNull();
  expect(kept.map(({ reason, detail }) => [reason, detail])).toEqual([
    ['late-answer', 'cycle 0, attempt 1 found no row: accepted m-1'],
    ['late-answer', 'cycle 0, attempt 1 found no row: accepted m-2'],
  ]);
  const origins = kept.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`);
  expect(new Set(origins).size).toBe(2);
  expect(kept.every(({ offset }) => /^\d+$/.test(offset))).toBe(true);
});

test('a row that the table refuses is not tried for ever', async () => {
  const refusing = (plain: NotificationStore): NotificationStore => ({
    ...plain,
    write: () => Promise.resolve({ kind: 'quarantined', reason: 'no' }),
  });
  const { driver, engine, current } = await aCallOut(refusing);
  expect(
    await settled(driver, foldUntilRecorded(engine, current, acceptedBy(engine, current.row, 'm-1'))),
  ).toBeNull();
});

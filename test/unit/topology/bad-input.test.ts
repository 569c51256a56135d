// Records that break the contract, keys in the wrong place, servers that are away: each has its end, and nothing waits for nothing.
import { describe, expect, test } from 'vitest';
import { partitionFor } from '../../../src/broker/partitioner.ts';
import { type NotificationId, parseNotificationId } from '../../../src/domain/notification-id.ts';
import { Fault } from '../../../src/runtime/fault.ts';
import type { NotificationStore, QuarantinedInput } from '../../../src/state/store.ts';
import { encodeRequest } from '../../../src/streams/requested.ts';
import { UNKNOWN_SCHEMA_HOLD_MS } from '../../../src/streams/unknown-schema-alarm.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import { drive, everythingIsDone, produceRaw, RETRIED, reasonOf, settled } from './driving.ts';

const text = (value: string) => new TextEncoder().encode(value);
/** A frame of a schema that no registry has. */
const unknownFrame = Uint8Array.from([0, 0, 0, 0x77, 0x77, 1, 2, 3]);

function quarantining(kept: QuarantinedInput[]) {
  return (store: NotificationStore): NotificationStore => ({
    ...store,
    quarantine: (input) => {
      kept.push(input);
      return store.quarantine(input);
    },
  });
}

describe('a request that breaks the contract', () => {
  test.each([
    ['bytes of no frame', anId(), text('hello'), 'bad-magic'],
    ['a frame of an unknown schema', anId(), unknownFrame, 'unknown-schema'],
    ['no key', null, unknownFrame, 'null-key'],
    ['a key that is no id', 'not-a-uuid', unknownFrame, 'key-not-uuid'],
    ['no value', anId(), null, 'undecodable'],
  ])('%s: its bytes go to the dead letters, and other keys go on', async (_, key, value, reason) => {
    const driver = await drive();
    await produceRaw(driver, {
      topic: driver.topics.requested,
      key,
      value,
      headers: { traceparent: text('00-1') },
    });
    await driver.request(aRequest({ notificationId: anId(2) }));
    expect(driver.mail.messages).toHaveLength(1);
    const [letter] = driver.deadLetters();
    expect(reasonOf(letter)).toBe(reason);
    expect(letter?.value).toEqual(value);
    expect(letter?.headers).toMatchObject({ traceparent: text('00-1') });
    await driver.time.advance(2_000);
    expect(everythingIsDone(driver)).toBe(true);
  });

  test('too large for the dead letters too: its bytes go to the quarantine, and it is done', async () => {
    const kept: QuarantinedInput[] = [];
    const driver = await drive({ around: (ports) => ({ ...ports, store: quarantining(kept)(ports.store) }) });
    const admin = await driver.log.admin();
    await admin.alter(driver.topics.dlq, { 'max.message.bytes': '10' });
    await produceRaw(driver, { topic: driver.topics.requested, key: anId(), value: text('no frame at all') });
    await driver.time.advance(2_000);
    expect(driver.deadLetters()).toHaveLength(0);
    expect(kept).toMatchObject([
      { reason: 'bad-magic', topic: driver.topics.requested, value: text('no frame at all') },
    ]);
    expect(everythingIsDone(driver)).toBe(true);
  });

  test('of another event type is skipped and counted', async () => {
    const driver = await drive();
    const headers = { ce_type: text('SomethingElse') };
    await produceRaw(driver, { topic: driver.topics.requested, key: anId(), value: text('x'), headers });
    await driver.time.advance(2_000);
    expect(driver.deadLetters()).toHaveLength(0);
    expect(driver.counted('pin_records_skipped_total', { reason: 'other-type' })).toBe(1);
    expect(everythingIsDone(driver)).toBe(true);
  });
});

test('a wake-up that nobody can read goes to the quarantine, and others go on', async () => {
  const kept: QuarantinedInput[] = [];
  const driver = await drive({
    script: { steps: [RETRIED] },
    around: (ports) => ({ ...ports, store: quarantining(kept)(ports.store) }),
  });
  const [tier] = driver.topics.tiers;
  await produceRaw(driver, { topic: tier?.topic ?? '', key: anId(), value: text('no frame') });
  await driver.request(aRequest());
  await driver.time.advance(40_000);
  expect(kept).toMatchObject([
    { reason: 'bad-magic', topic: tier?.topic, offset: '0', value: text('no frame') },
  ]);
  expect(driver.mail.messages).toHaveLength(1);
  expect(driver.deadLetters()).toHaveLength(0);
});

describe('a key in the wrong partition', () => {
  test('is produced again to its own, and its request is sent once', async () => {
    const driver = await drive();
    const own = partitionFor(text(anId()), 4);
    const record = encodeRequest(driver.topics, driver.codec, aRequest(), null);
    await produceRaw(driver, { ...record, key: anId(), partition: (own + 1) % 4 });
    await driver.time.advance(2_000);
    expect(driver.counted('pin_records_misplaced_total')).toBe(1);
    expect(driver.log.records(driver.topics.requested).map(({ partition }) => partition)).toContain(own);
    expect(driver.mail.messages).toHaveLength(1);
    expect(everythingIsDone(driver)).toBe(true);
  });

  test('is one when it is written in capitals, for all that we produce about it is not', async () => {
    const id = anUnusualId();
    const driver = await drive({ script: { steps: [RETRIED] } });
    const { topic, value } = encodeRequest(
      driver.topics,
      driver.codec,
      aRequest({ notificationId: id }),
      null,
    );
    await produceRaw(driver, { topic, key: id.toUpperCase(), value });
    await driver.time.advance(40_000);
    expect(
      driver.log
        .records(topic)
        .map(({ partition }) => partition)
        .sort(),
    ).toEqual([partitionFor(text(id), 4), partitionFor(text(id.toUpperCase()), 4)].sort());
    expect(driver.mail.messages).toHaveLength(1);
    expect(everythingIsDone(driver)).toBe(true);
  });
});

/** With letters, and in another partition when they are capitals. */
function anUnusualId(): NotificationId {
  for (let n = 1; n < 100; n += 1) {
    const id = parseNotificationId(`abcdef00-0000-4000-8000-${String(n).padStart(12, '0')}`);
    if (id !== null && partitionFor(text(id), 4) !== partitionFor(text(id.toUpperCase()), 4)) return id;
  }
  throw new RangeError('no such id');
}

describe('many unknown schemas', () => {
  test('in a row hold what comes next, name the registry, and condemn nothing while they do', async () => {
    const driver = await drive();
    for (let n = 1; n <= 60; n += 1)
      await produceRaw(driver, { topic: driver.topics.requested, key: anId(n), value: unknownFrame });
    await driver.time.advance(UNKNOWN_SCHEMA_HOLD_MS - 5_000);
    expect(driver.deadLetters()).toHaveLength(19);
    expect([...driver.processor.outages().keys()]).toEqual(['registry']);
    expect(everythingIsDone(driver)).toBe(false);
  });
});

describe('a record whose handling breaks', () => {
  const refusing = (error: Error, kept: QuarantinedInput[]) =>
    drive({
      around: (ports) => ({
        ...ports,
        store: {
          ...quarantining(kept)(ports.store),
          insert: (insertion) =>
            insertion.change.next.id === anId() ? Promise.reject(error) : ports.store.insert(insertion),
        },
      }),
    });

  test('by a refusal of our machinery ends in the quarantine, and others go on', async () => {
    const kept: QuarantinedInput[] = [];
    const driver = await refusing(new Fault('VALUE_TOO_LARGE', 'too large', { retriable: false }), kept);
    await driver.request(aRequest());
    await driver.request(aRequest({ notificationId: anId(2) }));
    await driver.time.advance(2_000);
    expect(kept).toMatchObject([{ reason: 'handling-failed', detail: 'VALUE_TOO_LARGE' }]);
    expect(driver.mail.messages).toHaveLength(1);
    expect(everythingIsDone(driver)).toBe(true);
  });

  test('by a bug of ours ends the processor, and the record stays with the log', async () => {
    const kept: QuarantinedInput[] = [];
    const driver = await refusing(new RangeError('a bug'), kept);
    const states: string[] = [];
    driver.processor.onState((to) => states.push(to));
    await driver.request(aRequest());
    await driver.time.advance(2_000);
    expect(states).toEqual(['failed']);
    expect(kept).toEqual([]);
    expect(driver.log.committed(driver.topics.groupId).filter(({ offset }) => offset > 0)).toEqual([]);
    await settled(driver, driver.processor.stop());
    expect(driver.processor.state()).toBe('stopped');
  });
});

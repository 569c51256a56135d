// What was put aside goes back to where it came from, on real Kafka, registry and Postgres. Judged by the bytes on the topics, the vendor's
// ledger and the table.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EXIT } from '../../src/app/exit-codes.ts';
import type { OutgoingRecord } from '../../src/broker/log.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { deadLetterRecord } from '../../src/streams/dead-letter.ts';
import { encodeRequest } from '../../src/streams/requested.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { callsOf } from '../support/notification-ending.ts';
import { pinBeside } from '../support/pin-beside.ts';
import { type RealService, startRealService } from '../support/real-service.ts';
import { until } from '../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

let service: RealService;
beforeAll(async () => {
  service = await startRealService();
});
afterAll(() => service.stop());

const pin = (args: readonly string[]) => pinBeside(service, args);
const callsTo = ({ notificationId }: NotificationRequest) => callsOf([service.vendor], notificationId);

describe('a replay', () => {
  test('of a dead letter brings the original bytes back, and a mended one is sent', async () => {
    const mended = freshRequest();
    const original = encodeRequest(service.topics, service.codec, mended, null);
    await service.produce(letterOf(original));
    const broken = freshRequest();
    await service.produce({
      ...original,
      key: Buffer.from(broken.notificationId),
      value: Buffer.from('no avro'),
    });
    await until('two dead letters', () => (service.deadLetters().length >= 2 ? true : null));
    const dry = await pin(['dlq', 'replay', '--key', mended.notificationId, '--dry-run']);
    expect([dry.code, dry.out]).toEqual([
      EXIT.ok,
      expect.stringContaining('it was refused as unknown-channel'),
    ]);
    expect(callsTo(mended)).toHaveLength(0);
    expect((await pin(['dlq', 'replay', '--key', mended.notificationId])).code).toBe(EXIT.ok);
    expect(await service.outcome(mended.notificationId)).toMatchObject({ status: 'Sent' });
    const [back] = service.seen.of(service.topics.requested, mended.notificationId);
    expect(Buffer.from(back?.value ?? [])).toEqual(Buffer.from(original.value ?? []));
    expect(Object.keys(back?.headers ?? {}).filter((name) => name.startsWith('pin-'))).toEqual([]);

    const lettersOf = () => service.seen.of(service.topics.dlq, broken.notificationId);
    expect((await pin(['dlq', 'replay', '--reason', 'bad-magic'])).code).toBe(EXIT.ok);
    await until('the same letter again', () => (lettersOf().length === 2 ? true : null));
    const [first, second] = lettersOf();
    expect(Object.keys(second?.headers ?? {}).sort()).toEqual(Object.keys(first?.headers ?? {}).sort());
    expect(Buffer.from(second?.value ?? []).toString()).toBe('no avro');
    expect((await pin(['dlq', 'replay', '0/999999'])).code).toBe(EXIT.notFound);
    expect((await pin(['dlq', 'replay'])).code).toBe(EXIT.usage);
  });

  test('of a quarantined input goes to its topic again and is marked; what cannot go back explains itself', async () => {
    const { notificationId } = freshRequest();
    await service.produce({
      ...{ topic: service.topics.webhooks, partition: null, headers: {} },
      ...{ key: Buffer.from(notificationId), value: Buffer.from('no avro') },
    });
    const entriesOf = () =>
      service.query('select * from quarantine where key = $1', [Buffer.from(notificationId)]);
    const [entry] = await until('an entry', async () => {
      const rows = await entriesOf();
      return rows.length > 0 ? rows : null;
    });
    const number = String(entry?.['id']);
    expect((await pin(['quarantine', 'replay', number])).code).toBe(EXIT.ok);
    await until('the same input again', async () => ((await entriesOf()).length === 2 ? true : null));
    expect((await entriesOf()).map((row) => String(row['value']))).toEqual(['no avro', 'no avro']);
    expect((await entriesOf()).find((row) => String(row['id']) === number)).toMatchObject({
      replayed_by: 'ada',
    });
    expect((await pin(['quarantine', 'replay', number])).code).toBe(EXIT.refused);

    const [late] = await service.query(
      `insert into quarantine (origin, reason, detail, topic, partition, "offset", key)
       values ('answer/x/0/1', 'late-answer', 'cycle 0', 'answer/x', 0, 1, $1) returning id`,
      [Buffer.from(notificationId)],
    );
    const lateNumber = String(late?.['id']);
    const refused = await pin(['quarantine', 'replay', lateNumber]);
    expect([refused.code, refused.err]).toEqual([EXIT.refused, expect.stringContaining('purged')]);
    expect(JSON.parse((await pin(['quarantine', 'show', lateNumber])).out)).toMatchObject({
      words: expect.stringContaining('A provider answered after its notification had been purged') as string,
    });
    expect((await pin(['quarantine', 'show', '999999'])).code).toBe(EXIT.notFound);
  });
});

/** As an older release would have left it, which did not know the channel. */
function letterOf(original: OutgoingRecord): OutgoingRecord {
  const { topic, key, value, headers } = original;
  const record = { topic, partition: 0, offset: 0, timestampMs: 0, key, value, headers };
  return deadLetterRecord(service.topics, record, { reason: 'unknown-channel', detail: 'email' }, 0);
}

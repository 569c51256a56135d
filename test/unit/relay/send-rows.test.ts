import { expect, test } from 'vitest';
import type { LogProducer, OutgoingRecord } from '../../../src/broker/log.ts';
import { MAX_PORTION_RECORDS, sendRows } from '../../../src/relay/send-rows.ts';
import { Fault } from '../../../src/runtime/fault.ts';

const refusal = new Fault('LOG_RECORD_REFUSED', 'too large', { retriable: false });
const away = new Fault('LOG_UNAVAILABLE', 'no broker', { retriable: true });

function record(name: string): OutgoingRecord {
  return { topic: 't', partition: null, key: Buffer.from(name), value: Buffer.alloc(10), headers: {} };
}

function producer(answers: Readonly<Record<string, Fault>>): LogProducer & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    send({ topic, key }) {
      const name = Buffer.from(key ?? []).toString();
      seen.push(name);
      const fault = answers[name];
      return fault === undefined ? Promise.resolve({ topic, partition: 0 }) : Promise.reject(fault);
    },
    close: () => Promise.resolve(),
  };
}

const row = (rowId: string, ...names: readonly string[]) => ({ rowId, records: names.map(record) });

test('a record that the log refuses is the fate of its row alone', async () => {
  const sent = await sendRows(producer({ b: refusal }), [row('1', 'a'), row('2', 'b'), row('3', 'c')]);
  expect(sent).toMatchObject({ acknowledged: ['1', '3'], unsent: [], failure: null });
  expect(sent.refused).toEqual([{ id: '2', reason: expect.stringContaining('too large') as string }]);
});

test('a row is acknowledged only when the log has every record of it', async () => {
  const sent = await sendRows(producer({ c: away }), [row('1', 'a', 'b', 'c'), row('2', 'd')]);
  expect(sent).toMatchObject({ acknowledged: ['2'], unsent: ['1'], refused: [], failure: away });
});

test('a refusal outweighs an outage: the row would never pass', async () => {
  const sent = await sendRows(producer({ a: away, b: refusal, c: away }), [row('1', 'a', 'b', 'c')]);
  expect(sent).toMatchObject({ acknowledged: [], unsent: [], failure: null });
  expect(sent.refused).toHaveLength(1);
});

test('many recipients go in portions, and all of them in order', async () => {
  const names = Array.from({ length: MAX_PORTION_RECORDS * 2 + 1 }, (_, index) => String(index));
  const log = producer({});
  expect((await sendRows(log, [row('1', ...names)])).records).toBe(names.length);
  expect(log.seen).toEqual(names);
});

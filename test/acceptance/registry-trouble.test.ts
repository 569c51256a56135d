// The schema registry is away, or has lost its content: records wait for it and none dies of it. On real servers; the registry is
// taken from this service alone.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LogRecord, OutgoingRecord } from '../../src/broker/log.ts';
import { encodeRequest } from '../../src/streams/requested.ts';
import { UNKNOWN_SCHEMAS_IN_A_ROW } from '../../src/streams/unknown-schema-alarm.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService } from '../support/real-service.ts';
import { type RefusingProxy, refusingProxy } from '../support/refusing-proxy.ts';
import { stackAddresses } from '../support/stack-servers.ts';
import { until } from '../support/until.ts';

let proxy: RefusingProxy;
let service: RealService;
beforeAll(async () => {
  proxy = await refusingProxy(stackAddresses().registryUrl);
});
afterAll(() => proxy.close());
beforeEach(async () => {
  // Each test needs a process that has read no schema yet.
  service = await startRealService({
    variables: { PIN_REGISTRY_URL: proxy.urlFor(stackAddresses().registryUrl) },
  });
  return async () => {
    proxy.pass();
    await service.stop();
  };
});

test('while the registry is away requests of an unread schema wait, none dies, and all are delivered when it is back', async () => {
  proxy.refuse();
  const requests = Array.from({ length: 6 }, () => freshRequest());
  await Promise.all(requests.map((request) => service.send(request)));
  await registryIsNamed();
  expect(service.vendor.ledger.calls).toHaveLength(0);
  expect(service.deadLetters()).toHaveLength(0);
  proxy.pass();
  for (const { notificationId } of requests)
    expect(await service.outcome(notificationId)).toMatchObject({ status: 'Sent', attempts: 1 });
  expect(service.vendor.ledger.messages).toHaveLength(requests.length);
  expect(service.deadLetters()).toHaveLength(0);
  expect(service.running.processor.outages().size).toBe(0);
});

test('many unknown schemas in a row wait as in an outage, and go to the dead letters once a known one is read', async () => {
  const lost = Array.from({ length: UNKNOWN_SCHEMAS_IN_A_ROW + 4 }, () => unknownSchema());
  await Promise.all(lost.map((record) => service.produce(record)));
  await registryIsNamed();
  await service.seen.atLeast(service.topics.dlq, null, UNKNOWN_SCHEMAS_IN_A_ROW - 1);
  expect(service.deadLetters()).toHaveLength(UNKNOWN_SCHEMAS_IN_A_ROW - 1);
  const known = freshRequest();
  await service.send(known);
  expect(await service.outcome(known.notificationId)).toMatchObject({ status: 'Sent' });
  const dead = await service.seen.atLeast(service.topics.dlq, null, lost.length);
  expect(new Set(dead.map(reasonOf))).toEqual(new Set(['unknown-schema']));
  expect(service.running.processor.outages().size).toBe(0);
});

/** What /readyz says is made of this. */
function registryIsNamed(): Promise<true> {
  return until('the registry to be named as away', () =>
    service.running.processor.outages().has('registry') ? true : null,
  );
}

function unknownSchema(): OutgoingRecord {
  const record = encodeRequest(service.topics, service.codec, freshRequest(), null);
  const value = Buffer.from(record.value ?? []);
  value.writeInt32BE(2_000_000_000, 1);
  return { ...record, value };
}

const reasonOf = (record: LogRecord) => Buffer.from(record.headers['pin-dlq-reason'] ?? []).toString();

// The main job on the in-memory log and store, on a virtual clock. The oracle is the scripted provider's ledger, the topic and the table.
import { expect, test } from 'vitest';
import { newNotification } from '../../../src/domain/admission.ts';
import { defaultChannelConfig } from '../../../src/domain/channel.ts';
import { decodeDispatched } from '../../../src/streams/dispatched.ts';
import { startTestDriver, type TestDriver } from '../../../src/topology/test-driver.ts';
import { anId, aRequest } from '../../support/a-notification.ts';

async function outcomes(driver: TestDriver) {
  const answers = await Promise.all(
    driver.dispatched().map((record) => decodeDispatched(driver.codec, record)),
  );
  return answers.flatMap((answer) => (answer.kind === 'decoded' ? [answer.value] : []));
}

test('a request is sent once and its outcome is published', async () => {
  const driver = await startTestDriver();
  await driver.request(aRequest());
  await driver.time.advance(2_000);
  expect(driver.scripted.messages).toHaveLength(1);
  expect(await outcomes(driver)).toMatchObject([
    { status: 'Sent', attempts: 1, outcomeSeq: 1, reason: 'accepted' },
  ]);
  expect(await driver.row(anId())).toMatchObject({
    status: 'Sent',
    final: 'accepted',
    publishedSeq: 1,
    wakeAtMs: null,
  });
});

test('retriable failures wait in their tiers and are never early', async () => {
  const driver = await startTestDriver();
  driver.scripted.addSteps(
    { kind: 'transient', providerCode: '503' },
    { kind: 'rate-limited', retryAfterMs: 90_000, scope: 'message', providerCode: null },
  );
  const startMs = driver.time.clock.nowMs();
  await driver.request(aRequest());
  await driver.time.advance(29_000);
  expect(driver.scripted.calls).toHaveLength(1);
  await driver.time.advance(5_000);
  expect(driver.scripted.calls).toHaveLength(2);
  const second = await driver.row(anId());
  expect(second?.nextAttemptAtMs).toBeGreaterThanOrEqual(startMs + 30_000 + 90_000);
  await driver.time.advance((second?.nextAttemptAtMs ?? 0) - driver.time.clock.nowMs() - 1);
  expect(driver.scripted.calls).toHaveLength(2);
  await driver.time.advance(500);
  expect(driver.scripted.messages).toHaveLength(1);
  await driver.time.advance(2_000);
  expect(await outcomes(driver)).toMatchObject([{ status: 'Sent', attempts: 3 }]);
});

test('a budget that is used up ends in terminal Failed, and nothing goes to the dead letters', async () => {
  const driver = await startTestDriver();
  driver.scripted.addSteps(
    ...Array.from({ length: 9 }, () => ({ kind: 'transient', providerCode: '503' }) as const),
  );
  await driver.request(aRequest());
  await driver.time.advance(3_600_000);
  expect(driver.scripted.calls).toHaveLength(5);
  expect(await outcomes(driver)).toMatchObject([{ status: 'Failed', reason: 'exhausted', attempts: 5 }]);
  expect(driver.deadLetters()).toHaveLength(0);
});

test('a channel that is off holds its notifications and releases them when it is on again', async () => {
  const driver = await startTestDriver({
    channels: [{ ...defaultChannelConfig('email', 'scripted'), isEnabled: false }],
  });
  await driver.request(aRequest());
  await driver.time.advance(60_000);
  expect(await driver.row(anId())).toMatchObject({
    status: 'Pending',
    hold: 'channel-disabled',
    attempts: 0,
  });
  await driver.store.saveChannel(defaultChannelConfig('email', 'scripted'));
  await driver.time.advance(5_000);
  expect(driver.scripted.messages).toHaveLength(1);
});

test('a row that waits without a record is found by the sweeper', async () => {
  const driver = await startTestDriver();
  const request = aRequest();
  await driver.store.insert({
    change: {
      next: newNotification(request),
      wake: { kind: 'after', waitMs: 0, inLog: false },
      isNextAttempt: false,
      trail: 'parked',
    },
    content: { request, payloadHash: 'p', recipientHash: 'r', traceparent: null },
    writeToken: '00000000-0000-4000-8000-0000000000ff',
  });
  await driver.time.advance(59_000);
  expect(driver.scripted.calls).toHaveLength(0);
  await driver.time.advance(3_000);
  expect(driver.scripted.messages).toHaveLength(1);
});

// A test of a service that asks for notifications, with the processor in memory: `node --test`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retry } from '@pin-notifications/delivery';
import { startTestProcessor } from '@pin-notifications/testing/processor';
import { recordingDelivery } from '@pin-notifications/testing/recording-delivery';

test('after two failures and 90 s this was sent once', async () => {
  const delivery = recordingDelivery(retry('busy'), retry('busy'));
  const processor = await startTestProcessor({ delivery });

  const [id] = await processor.request({ channel: 'email', to: 'ada@example.com', body: { text: 'Hello' } });
  await processor.advance(90_000);

  assert.equal((await processor.outcome(id)).status, 'Sent');
  assert.deepEqual(
    delivery.received().map(({ attempt }) => attempt),
    [1, 2, 3],
  );
  await processor.close();
});

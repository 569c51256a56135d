import { expect, test } from 'vitest';
import { startFakeProvider } from '../../../src/kits/testing/fake-provider.ts';
import { httpProvider } from '../../../src/providers/http/http-provider.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { systemTimers } from '../../../src/runtime/timers.ts';
import { aCall, yes } from '../providers/a-call.ts';

test('the fake provider misbehaves on order, then delivers, and its ledger says so', async () => {
  const fake = await startFakeProvider({ capability: 'key' });
  const provider = httpProvider(
    { clock: systemClock, timers: systemTimers, logger: silentLogger },
    {
      providerKey: 'fake',
      url: fake.url,
      capability: 'key',
      windowMs: null,
      secret: null,
      maxConcurrency: 1,
      ratePerSecond: null,
      visibilityDelayMs: 0,
    },
  );
  const call = aCall();
  fake.plan(call.reference, [{ kind: 'error', status: 503, code: 'busy', retriable: true }]);
  expect(await provider.send(call, yes)).toMatchObject({ kind: 'transient', providerCode: 'busy' });
  expect(await provider.send({ ...call, attempt: 2 }, yes)).toMatchObject({ kind: 'accepted' });
  expect(fake.ledger.messages).toMatchObject([{ reference: call.reference, recipient: call.recipient }]);
  await provider.close();
  await fake.close();
});

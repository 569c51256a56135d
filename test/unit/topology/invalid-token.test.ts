// NTF_PUSH_TOKEN_INVALID on the way: the token is forgotten for certain, and never one that was registered since.
import { expect, test } from 'vitest';
import type { CallOutcome } from '../../../src/domain/call-outcome.ts';
import { defaultChannelConfig } from '../../../src/domain/channel.ts';
import type { Script } from '../../../src/providers/scripted/script.ts';
import { SCRIPTED_FACTS, scriptedProvider } from '../../../src/providers/scripted/scripted-provider.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import type { ProcessorPorts } from '../../../src/topology/processor.ts';
import {
  startTestDriver,
  type TestDriver,
  type TestDriverOptions,
} from '../../../src/topology/test-driver.ts';
import { anId, aRequest } from '../../support/a-notification.ts';
import { mortal, outcomes, settled, startOn } from './driving.ts';

const INVALID: CallOutcome & { kind: 'refused' } = {
  ...{ kind: 'refused', code: 'NTF_PUSH_TOKEN_INVALID', providerCode: 'unregistered' },
};
const TOKEN = { tenantId: 'tenant-1', userId: 'ada', providerKey: 'push-a', token: 'token-1' };
const request = aRequest({ channel: 'push', recipient: 'token-1' });

async function pushing(script: Script, options: TestDriverOptions = {}) {
  const provider = scriptedProvider({ ...SCRIPTED_FACTS, providerKey: 'push-a' }, script);
  const driver = await startTestDriver({
    providers: [provider],
    channels: [defaultChannelConfig('push', 'push-a')],
    ...options,
  });
  await settled(driver, driver.store.registerPushToken(TOKEN));
  await driver.time.advance(1_000);
  return { driver, provider };
}

const tokens = async (driver: TestDriver) => (await driver.store.pushTokens(TOKEN)).map(({ token }) => token);

test('the token of a refused push is forgotten, and the outcome says why', async () => {
  const { driver } = await pushing({ steps: [INVALID] });
  await driver.request(request);
  expect(await outcomes(driver)).toMatchObject([{ status: 'Failed', errorCode: 'NTF_PUSH_TOKEN_INVALID' }]);
  expect(await tokens(driver)).toEqual([]);
});

test('a token that was registered again while the call ran is kept', async () => {
  // biome-ignore lint/suspicious/noThenProperty: a word of the script, which nobody awaits
  const { driver, provider } = await pushing({ steps: [{ kind: 'wait', then: INVALID }] });
  await driver.request(request);
  await settled(driver, driver.store.registerPushToken(TOKEN));
  provider.release();
  await driver.time.settle();
  expect(await outcomes(driver)).toMatchObject([{ errorCode: 'NTF_PUSH_TOKEN_INVALID' }]);
  expect(await tokens(driver)).toEqual(['token-1']);
});

test('a token that was registered again after the first attempt is forgotten by the second’s answer', async () => {
  const { driver } = await pushing({ steps: [{ kind: 'transient', providerCode: '503' }, INVALID] });
  await driver.request(request);
  await settled(driver, driver.store.registerPushToken(TOKEN));
  await driver.time.advance(60_000);
  expect(await outcomes(driver)).toHaveLength(1);
  expect(await tokens(driver)).toEqual([]);
});

test('another refusal, another channel and another tenant’s token leave it alone', async () => {
  const { driver } = await pushing({ steps: [{ ...INVALID, code: 'NTF_PROVIDER_BLOCKED' }, INVALID] });
  await driver.request(request);
  await driver.request({ ...request, notificationId: anId(2), tenantId: 'tenant-2' });
  expect(await outcomes(driver)).toHaveLength(2);
  expect(await tokens(driver)).toEqual(['token-1']);
});

test('a process that dies after the commit leaves it to the next, which forgets the token and publishes', async () => {
  const given: ProcessorPorts[] = [];
  const { driver } = await pushing(
    { steps: [INVALID] },
    {
      around: (ports) => {
        given.push(ports);
        const dying = mortal(ports);
        const removePushToken = () => dying.kill().then(() => new Promise<never>(() => undefined));
        return { ...dying.ports, store: { ...dying.ports.store, removePushToken } };
      },
    },
  );
  await driver.request(request);
  const [plain] = given;
  invariant(plain !== undefined, 'the driver has ports');
  expect((await plain.store.pushTokens(TOKEN)).map(({ token }) => token)).toEqual(['token-1']);
  await startOn(driver, 'second', plain);
  await driver.time.advance(180_000);
  expect(await outcomes(driver)).toMatchObject([{ errorCode: 'NTF_PUSH_TOKEN_INVALID' }]);
  expect(await plain.store.pushTokens(TOKEN)).toEqual([]);
});

// A team's own channel in the real processor: a file of theirs that uses the delivery kit as npm would install it. What it was handed is
// told by the file that it writes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshRequest } from '../support/fresh-request.ts';
import { buildKits, type KitConsumer, kitConsumer } from '../support/kit-consumer.ts';
import { type PinProcess, pin, startPin } from '../support/pin-process.ts';
import { openRealWorld, type RealWorld, testChannel } from '../support/real-service.ts';

const SET_UP_LIMIT_MS = 300_000;
const channel = 'push';

let world: RealWorld;
let team: KitConsumer;
let processor: PinProcess;

beforeAll(async () => {
  await buildKits();
  team = await kitConsumer(['delivery']);
  team.write('pager.mjs', PAGER);
  world = await openRealWorld({ channels: [testChannel(channel, { providerKey: 'pager' })] });
  processor = startPin(['run', 'processor'], variables());
  await processor.logged('process.started');
}, SET_UP_LIMIT_MS);

afterAll(async () => {
  await processor?.end('SIGTERM');
  await world?.stop();
  team?.remove();
});

function variables(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    ...world.environment.variables,
    PIN_HTTP_ADDR: '127.0.0.1:0',
    PIN_PROVIDER_PAGER_ADAPTER: 'module',
    PIN_PROVIDER_PAGER_MODULE: join(team.folder, 'pager.mjs'),
    PAGER_LEDGER: join(team.folder, 'ledger'),
    ...more,
  };
}

interface Handed {
  readonly id: string;
  readonly attempt: number;
  readonly to: string;
  readonly cause: object;
}

function handed(id: string): readonly Handed[] {
  const path = join(team.folder, 'ledger');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => JSON.parse(line) as Handed).filter((one) => one.id === id);
}

test('a delivery of a team’s own is tried until it says delivered, inside its cause', async () => {
  const request = freshRequest({ channel, recipient: 'busy-once', correlationId: 'order-7' });
  await world.send(request);
  const id = request.notificationId;
  expect(await world.outcome(id)).toMatchObject({
    status: 'Sent',
    attempts: 2,
    providerMessageId: `page-${id}`,
  });
  expect(handed(id)).toEqual(
    [1, 2].map((attempt) => ({
      id,
      attempt,
      to: 'busy-once',
      cause: { correlationId: 'order-7', causationId: id },
    })),
  );
});

test('what it rejects is Failed for good, with its code', async () => {
  const request = freshRequest({ channel, recipient: 'nobody' });
  await world.send(request);
  expect(await world.outcome(request.notificationId)).toMatchObject({
    status: 'Failed',
    reason: 'refused',
    errorCode: 'NTF_PROVIDER_INVALID_RECIPIENT',
  });
  expect(handed(request.notificationId)).toHaveLength(1);
});

test('one that belongs to another consumer, or is none, stops the start with a sentence', async () => {
  team.write('other.mjs', PAGER.replace("'notification-delivery'", "'digest'"));
  team.write('none.mjs', 'export const nothing = 1;');
  const other = await pin(
    ['run', 'processor'],
    variables({ PIN_PROVIDER_PAGER_MODULE: join(team.folder, 'other.mjs') }),
  );
  const none = await pin(
    ['run', 'processor'],
    variables({ PIN_PROVIDER_PAGER_MODULE: join(team.folder, 'none.mjs') }),
  );
  expect([other.code, none.code]).toEqual([78, 78]);
  expect(other.stderr).toContain('is for the consumer digest, and PIN_CONSUMER is notification-delivery');
  expect(none.stderr).toContain('has no export `delivery`');
});

const PAGER = `
import { appendFileSync } from 'node:fs';
import { delivered, reject, retry } from '@pin-notifications/delivery';
import { currentCause } from '@pin-notifications/delivery/cause';

export const delivery = {
  consumer: 'notification-delivery',
  async deliver({ id, attempt, to }) {
    await new Promise((resolve) => setImmediate(resolve));
    appendFileSync(process.env.PAGER_LEDGER, JSON.stringify({ id, attempt, to, cause: currentCause() }) + '\\n');
    if (to === 'nobody') return reject('no such pager', 'NTF_PROVIDER_INVALID_RECIPIENT');
    return to === 'busy-once' && attempt === 1 ? retry('busy') : delivered('page-' + id);
  },
};
`;

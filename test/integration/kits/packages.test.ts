import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildKits, KITS, type KitConsumer, kitConsumer } from '../../support/kit-consumer.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const EXAMPLES = `${ROOT}docs/examples/`;
const BUILD_LIMIT_MS = 240_000;
const TYPE_CHECK_LIMIT_MS = 120_000;
const run = promisify(execFile);

beforeAll(buildKits, BUILD_LIMIT_MS);

const consumers: KitConsumer[] = [];
afterAll(() => {
  for (const consumer of consumers) consumer.remove();
});

async function consumerOf(kits: readonly string[], packages: readonly string[] = []): Promise<KitConsumer> {
  const consumer = await kitConsumer(kits, packages);
  consumers.push(consumer);
  return consumer;
}

function entriesOf(kit: string): readonly string[] {
  const text = readFileSync(`${ROOT}packages/${kit}/package.json`, 'utf8');
  const { name, exports } = JSON.parse(text) as { name: string; exports: object };
  return Object.keys(exports).map((entry) => `${name}${entry.slice(1)}`);
}

describe('the kits, as npm would install them', () => {
  test.each(KITS)('%s: every entry can be imported without a package of the service', async (kit) => {
    const consumer = await consumerOf([kit], kit === 'producer' ? ['avsc'] : []);
    const entries = entriesOf(kit);
    consumer.write(
      'all.mjs',
      `for (const name of ${JSON.stringify(entries)}) console.log(name, Object.keys(await import(name)).length > 0);`,
    );
    expect(await consumer.node('all.mjs')).toBe(entries.map((name) => `${name} true\n`).join(''));
  });

  test('the outbox and HTTP need no package at all, and Kafka says which it lacks', async () => {
    const consumer = await consumerOf(['producer']);
    consumer.write(
      'none.mjs',
      `await import('@pin-notifications/producer/outbox'); await import('@pin-notifications/producer/http'); console.log('fine');`,
    );
    expect(await consumer.node('none.mjs')).toBe('fine\n');
    consumer.write('kafka.mjs', `await import('@pin-notifications/producer/kafka');`);
    await expect(consumer.node('kafka.mjs')).rejects.toThrow(/Cannot find package 'avsc'/);
  });

  test('the cause of a delivery reaches the producer kit, which is a package of its own', async () => {
    const consumer = await consumerOf(['producer', 'delivery', 'testing']);
    consumer.write('cause.mjs', CAUSE);
    expect(JSON.parse(await consumer.node('cause.mjs'))).toEqual({
      status: 'Sent',
      correlation: 'order-7',
      isCited: true,
    });
  });

  test(
    'a TypeScript project finds their types',
    async () => {
      const consumer = await consumerOf(
        ['producer', 'delivery', 'testing'],
        [...['@types/node', 'undici-types', '@types/pg', 'pg', 'kafkajs', 'avsc']],
      );
      consumer.write('typed.ts', TYPED);
      const examples = readdirSync(EXAMPLES).filter((name) => name.endsWith('.ts'));
      for (const name of examples) consumer.write(name, readFileSync(EXAMPLES + name, 'utf8'));
      consumer.write('wrong.ts', TYPED.replace("channel: 'email'", "channel: 'fax'"));
      const options = [
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2023',
        '--types',
        'node',
      ];
      const tsc = [`${ROOT}node_modules/typescript/bin/tsc`, ...options, 'typed.ts', 'wrong.ts', ...examples];
      const { stdout } = await run(process.execPath, tsc, { cwd: consumer.folder }).catch(
        (error: { stdout: string }) => error,
      );
      const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
      expect(errors.filter((line) => !line.startsWith('wrong.ts') || !line.includes('"fax"'))).toEqual([]);
      expect(errors.length).toBeGreaterThan(0);
    },
    TYPE_CHECK_LIMIT_MS,
  );
});

const CAUSE = `
import { delivered } from '@pin-notifications/delivery';
import { requestNotification } from '@pin-notifications/producer/outbox';
import { startTestProcessor } from '@pin-notifications/testing/processor';
const rows = [];
const client = { query: async (_, values) => rows.push(values) };
const delivery = {
  consumer: 'notification-delivery',
  async deliver() {
    await requestNotification(client, { channel: 'sms', to: '+100', body: { text: 'x' } });
    return delivered();
  },
};
const processor = await startTestProcessor({ delivery });
const asked = { channel: 'email', to: 'ada@example.com', body: { text: 'x' }, correlationId: 'order-7' };
const [id] = await processor.request(asked);
const { status } = await processor.outcome(id);
console.log(JSON.stringify({ status, correlation: rows[0][7], isCited: rows[0][8] === id }));
`;

const TYPED = `
import { delivered, type NotificationDelivery, retry } from '@pin-notifications/delivery';
import { immediate } from '@pin-notifications/delivery/retry-policy';
import { RequestRefused } from '@pin-notifications/producer';
import { httpRequests } from '@pin-notifications/producer/http';
import { type KafkaProducer, openKafkaRequests } from '@pin-notifications/producer/kafka';
import { requestNotification, type TransactionClient } from '@pin-notifications/producer/outbox';
import { startFakeProvider } from '@pin-notifications/testing/fake-provider';
import { startTestProcessor } from '@pin-notifications/testing/processor';
import { recordingDelivery } from '@pin-notifications/testing/recording-delivery';

const asked = { channel: 'email', to: ['a@b.c'], body: { text: 'x' } } as const;
export const delivery: NotificationDelivery = {
  consumer: 'mine',
  deliver: async ({ attempt }) => (attempt < 2 ? retry('busy') : delivered()),
};
export async function all(client: TransactionClient, producer: KafkaProducer): Promise<string | null> {
  const { notificationIds } = await requestNotification(client, asked);
  const kafka = await openKafkaRequests({ producer, registryUrl: 'http://r', partitions: 12 });
  const ids: readonly string[] = await kafka.requestNotification(asked);
  const answer = await httpRequests({ url: 'http://p', token: null }).requestNotification(asked);
  const processor = await startTestProcessor({ delivery: recordingDelivery(retry('x')).always(delivered()), policy: immediate(2) });
  const outcome = await processor.outcome(ids[0] ?? notificationIds[0] ?? '');
  const fake = await startFakeProvider({ capability: 'key' });
  await fake.close();
  return answer.kind === 'refused' ? answer.code : (outcome?.status ?? new RequestRefused({ kind: 'violation', reason: 'invalid-field', detail: '', field: null }).field);
}
`;

import { describe, expect, it } from 'vitest';
import { kafkaIsReady } from '../../../src/app/stack/kafka-probe.ts';
import { postgresIsReady, redisIsReady, registryIsReady } from '../../../src/app/stack/server-probes.ts';
import type { Address } from '../../../src/app/stack/tcp-question.ts';
import { serverPid, stackAddresses, stackIsOurs, whileDown } from '../../support/stack-servers.ts';

describe('the servers that were given to the tests', { timeout: 90_000 }, () => {
  const { kafkaBrokers, registryUrl, databaseUrl, redisUrl } = stackAddresses();
  const kafka = addressOf(`kafka://${kafkaBrokers[0] ?? ''}`);
  const postgres = addressOf(databaseUrl);

  it('Kafka knows the coordinator of a consumer group', async () => {
    expect(await kafkaIsReady(kafka)).toBe(true);
  });

  it('the registry lists its subjects', async () => {
    expect(await registryIsReady(registryUrl)).toBe(true);
  });

  it('Postgres asks who we are', async () => {
    expect(await postgresIsReady(postgres)).toBe(true);
  });

  it.runIf(redisUrl !== null)('Redis answers a ping', async () => {
    expect(await redisIsReady(addressOf(redisUrl ?? ''))).toBe(true);
  });

  it.runIf(stackIsOurs())(
    'Postgres is gone while it is down, and answers on the same port afterwards',
    async () => {
      const answersMeanwhile = await whileDown('postgres', 'kill', () => postgresIsReady(postgres));
      expect(answersMeanwhile).toBe(false);
      expect(await postgresIsReady(postgres)).toBe(true);
    },
  );

  it.runIf(stackIsOurs())('a registry that was killed still knows the ids it gave', async () => {
    const id = await register(registryUrl, 'stack-test-value');
    const before = await serverPid('registry');
    const answersMeanwhile = await whileDown('registry', 'kill', () => registryIsReady(registryUrl));
    expect(answersMeanwhile).toBe(false);
    if (before !== null) expect(await serverPid('registry')).not.toBe(before);
    expect((await fetch(`${registryUrl}/schemas/ids/${id}`)).status).toBe(200);
    expect(await register(registryUrl, 'stack-test-value')).toBe(id);
  });

  it.runIf(stackIsOurs())('Kafka stopped its own way and started again is ready for groups', async () => {
    const answersMeanwhile = await whileDown('kafka', 'stop', () => kafkaIsReady(kafka));
    expect(answersMeanwhile).toBe(false);
    expect(await kafkaIsReady(kafka)).toBe(true);
  });
});

async function register(registryUrl: string, subject: string): Promise<number> {
  const schema = JSON.stringify({ type: 'record', name: 'StackTest', fields: [{ name: 'a', type: 'int' }] });
  const answer = await fetch(`${registryUrl}/subjects/${subject}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ schema }),
  });
  return ((await answer.json()) as { id: number }).id;
}

function addressOf(url: string): Address {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

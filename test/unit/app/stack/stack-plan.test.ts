import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { planStack } from '../../../../src/app/stack/stack-plan.ts';

describe('which way the servers will run', () => {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'pin-test-plan-'));
  afterAll(() => rmSync(cacheFolder, { recursive: true, force: true }));
  const named = {
    PIN_KAFKA_BROKERS: 'a:9092, b:9092',
    PIN_REGISTRY_URL: 'http://c:8081',
    PIN_DATABASE_URL: 'postgres://d/pin',
  };

  it('a set that is named is taken, before anything else', async () => {
    const plan = await planStack({ environment: named, cacheFolder });
    expect(plan).toMatchObject({ kind: 'given', kafkaBrokers: ['a:9092', 'b:9092'], redisUrl: null });
  });

  it('a set that is named by half is refused with what is missing', async () => {
    const plan = await planStack({ environment: { ...named, PIN_REGISTRY_URL: '' }, cacheFolder });
    expect(plan).toMatchObject({ kind: 'none', missing: ['PIN_REGISTRY_URL'] });
  });

  it('a Docker daemon that answers is preferred to native servers', async () => {
    const socket = join(cacheFolder, 'docker.sock');
    const daemon = createServer((_, response) => response.end('OK'));
    await new Promise<void>((resolve) => daemon.listen(socket, resolve));
    const environment = { ...process.env, DOCKER_HOST: `unix://${socket}` };
    const plan = await planStack({ environment: without(environment, Object.keys(named)), cacheFolder });
    daemon.close();
    expect(plan).toEqual({ kind: 'docker', why: `a Docker daemon answers at unix://${socket}` });
  });

  it('a Docker client without a daemon is no way', async () => {
    const environment = { PATH: '', DOCKER_HOST: `unix://${cacheFolder}/nobody-listens.sock` };
    const plan = await planStack({ environment, cacheFolder });
    expect(plan.kind).toBe('none');
  });

  it('a machine with nothing is told what to install', async () => {
    const plan = await planStack({ environment: { PATH: '' }, cacheFolder, allowDocker: false });
    const told = plan.kind === 'none' ? [...plan.missing, ...plan.howToGet].join('; ') : '';
    for (const word of ['Docker', 'Java 17', 'Maven']) expect(told).toContain(word);
    expect(told).toMatch(/install .*maven/);
  });
});

function without(environment: NodeJS.ProcessEnv, names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

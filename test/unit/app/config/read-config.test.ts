import { describe, expect, it } from 'vitest';
import type { Config } from '../../../../src/app/config/config.ts';
import { readConfig } from '../../../../src/app/config/read-config.ts';
import type { EnvironmentVariables, ReadFile } from '../../../../src/app/config/setting-source.ts';

const noFiles: ReadFile = (path) => {
  throw new TypeError(`no file ${path}`);
};

function configOf(environment: EnvironmentVariables, readFile: ReadFile = noFiles): Config {
  const answer = readConfig(environment, readFile);
  if (answer.kind === 'invalid') expect.fail(answer.errors.join('\n'));
  return answer.config;
}

function errorsOf(environment: EnvironmentVariables, readFile: ReadFile = noFiles): readonly string[] {
  const answer = readConfig(environment, readFile);
  return answer.kind === 'invalid' ? answer.errors : [];
}

const KEY = 'k'.repeat(32);
const production: EnvironmentVariables = {
  PIN_PROFILE: 'production',
  PIN_KAFKA_BROKERS: 'kafka-1:9092,kafka-2:9092',
  PIN_REGISTRY_URL: 'https://registry:8081',
  PIN_DATABASE_URL: 'postgres://pin:secret@db:5432/pin',
  PIN_ENCRYPTION_KEY_FILE: '/run/secrets/key',
};
const keyFile: ReadFile = () => `${KEY}\n`;

describe('readConfig', () => {
  it('works on loopback without a single variable', () => {
    const config = configOf({});
    expect(config.profile.name).toBe('development');
    expect(config.kafka.brokers).toEqual(['127.0.0.1:9092']);
    expect(config.http.address).toEqual({ host: '127.0.0.1', port: 8088 });
    expect(config.topics.retryTiersMs).toEqual([
      1_000, 5_000, 30_000, 60_000, 120_000, 240_000, 480_000, 900_000,
    ]);
    expect(config.providers).toEqual([]);
    expect(config.redis.url).toBeNull();
  });

  it('lists every error at once, each with the name of its setting', () => {
    const errors = errorsOf({
      PIN_LEASE: 'soon',
      PIN_PARTITIONS: '0',
      PIN_KAFKA_SSL: 'yes',
      PIN_RETRY_TIERS: '5s,1s',
    });
    expect(errors).toEqual([
      'PIN_KAFKA_SSL: "yes" must be true or false',
      'PIN_PARTITIONS: "0" must lie between 1 and 1000',
      'PIN_RETRY_TIERS: "5s,1s" must ascend, each duration once',
      'PIN_LEASE: "soon" is not a duration such as 500ms, 5s, 15m, 1h or 7d',
    ]);
  });

  it('reports a misspelt name with the one that was probably meant', () => {
    expect(errorsOf({ PIN_KAFKA_BROKER: 'a:1', PIN_PROVIDER_MAIN_ADAPTR: 'http' })).toEqual([
      'PIN_KAFKA_BROKER is not a setting: did you mean PIN_KAFKA_BROKERS?',
      'PIN_PROVIDER_MAIN_ADAPTR is not a setting: did you mean PIN_PROVIDER_MAIN_ADAPTER?',
    ]);
    expect(errorsOf({ PIN_SOMETHING_ELSE: '1' })).toEqual(['PIN_SOMETHING_ELSE is not a setting']);
  });

  it('ignores the names that Kubernetes adds for a service called pin', () => {
    const links = {
      PIN_SERVICE_HOST: '10.0.0.1',
      PIN_SERVICE_PORT_HTTP: '8088',
      PIN_PORT: 'tcp://10.0.0.1:8088',
      PIN_PORT_8088_TCP_ADDR: '10.0.0.1',
    };
    expect(errorsOf(links)).toEqual([]);
    expect(errorsOf({ PIN_HTTP_PORT: '8088' })).toHaveLength(1);
  });

  it('takes an empty variable as not set', () => {
    expect(configOf({ PIN_LOG_LEVEL: '', PIN_UNKNOWN: '' }).log.level).toBe('info');
  });

  it('reads a secret from a file and refuses both ways at once', () => {
    expect(configOf({ PIN_ENCRYPTION_KEY_FILE: '/key' }, keyFile).security.encryptionKey).toBe(KEY);
    expect(errorsOf({ PIN_ENCRYPTION_KEY_FILE: '/key', PIN_ENCRYPTION_KEY: KEY }, keyFile)).toEqual([
      'PIN_ENCRYPTION_KEY and PIN_ENCRYPTION_KEY_FILE are both set: keep one',
    ]);
    expect(errorsOf({ PIN_ENCRYPTION_KEY_FILE: '/key' })).toEqual(['PIN_ENCRYPTION_KEY_FILE: no file /key']);
  });

  it('never repeats a wrong secret in its error', () => {
    const errors = errorsOf({ PIN_ENCRYPTION_KEY: 'hunter2', PIN_DATABASE_URL: 'mysql://me:hunter2@db/x' });
    expect(errors).toHaveLength(2);
    expect(errors.join()).not.toContain('hunter2');
  });

  it('makes an instance of a provider from its variables', () => {
    const config = configOf({
      PIN_PROVIDER_SMS_MAIN_ADAPTER: 'http',
      PIN_PROVIDER_SMS_MAIN_URL: 'http://127.0.0.1:9',
      PIN_PROVIDER_SMS_MAIN_CAPABILITY: 'lookup',
      PIN_PROVIDER_SMS_MAIN_WINDOW: '1d',
      PIN_PROVIDER_SMS_MAIN_VISIBILITY_DELAY: '2s',
      PIN_PROVIDER_SMS_MAIN_RATE: '12.5',
    });
    expect(config.providers).toEqual([
      {
        providerKey: 'sms-main',
        adapter: 'http',
        url: 'http://127.0.0.1:9',
        module: null,
        capability: 'lookup',
        windowMs: 86_400_000,
        visibilityDelayMs: 2_000,
        secret: null,
        deadlineMs: 15_000,
        maxConcurrency: 32,
        ratePerSecond: 12.5,
      },
    ]);
  });

  it('refuses a provider without an adapter, and an http provider without a URL', () => {
    expect(errorsOf({ PIN_PROVIDER_A_DEADLINE: '5s' })).toEqual(['provider a: the adapter is not set']);
    expect(errorsOf({ PIN_PROVIDER_A_B_ADAPTER: 'http' })).toEqual([
      'provider a-b: the adapter http needs a URL',
    ]);
  });

  it('refuses half a SASL login and more in-sync replicas than replicas', () => {
    expect(errorsOf({ PIN_KAFKA_SASL_USERNAME: 'me' })).toHaveLength(1);
    expect(errorsOf({ PIN_KAFKA_SASL_MECHANISM: 'plain', PIN_KAFKA_SASL_USERNAME: 'me' })).toHaveLength(1);
    expect(errorsOf({ PIN_MIN_INSYNC_REPLICAS: '2' })).toHaveLength(1);
  });
});

describe('the production profile', () => {
  it('takes safe defaults', () => {
    const { topics } = configOf(production, keyFile);
    expect([topics.replicationFactor, topics.minInSyncReplicas]).toEqual([3, 2]);
  });

  it('insists on the servers and on an encryption key from a file', () => {
    const errors = errorsOf({ PIN_PROFILE: 'production', PIN_ENCRYPTION_KEY: KEY });
    expect(errors.map((error) => error.split(' ')[0])).toEqual([
      'PIN_KAFKA_BROKERS',
      'PIN_REGISTRY_URL',
      'PIN_DATABASE_URL',
      'PIN_ENCRYPTION_KEY_FILE',
    ]);
  });
});

describe('the effective settings', () => {
  it('say where each value came from and hide secrets', () => {
    const answer = readConfig({ ...production, PIN_REDIS_URL: 'redis://:pw@r:6379/?x=pw' }, keyFile);
    const shown = new Map(
      answer.kind === 'ok' ? answer.effective.map((one) => [one.env, `${one.shown} ${one.source}`]) : [],
    );
    expect(shown.get('PIN_DATABASE_URL')).toBe('postgres://pin:***@db:5432/pin environment');
    expect(shown.get('PIN_REDIS_URL')).toBe('redis://:***@r:6379/?x=*** environment');
    expect(shown.get('PIN_ENCRYPTION_KEY')).toBe('*** file');
    expect(shown.get('PIN_LEASE')).toBe('45s default');
    expect([...shown.values()].join()).not.toMatch(/secret|kkk|pw/);
  });
});

// The servers of this run as a test sees them: where they are, and how to take one away and bring it back.
import { invariant } from '../../src/runtime/fault.ts';

export type ServerName = 'kafka' | 'registry' | 'postgres' | 'redis';

export interface StackAddresses {
  readonly kafkaBrokers: string[];
  readonly registryUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
}

const ACTION_LIMIT_MS = 120_000;

export function stackAddresses(): StackAddresses {
  return {
    kafkaBrokers: setting('PIN_KAFKA_BROKERS').split(','),
    registryUrl: setting('PIN_REGISTRY_URL'),
    databaseUrl: setting('PIN_DATABASE_URL'),
    redisUrl: process.env['PIN_REDIS_URL'] ?? null,
  };
}

/** False when somebody else runs them: then a test must not take one away. */
export function stackIsOurs(): boolean {
  return process.env['TEST_STACK_HOW'] !== 'given';
}

/** Runs `body` while the server is gone, and brings it back on the same port with the same data, whatever `body` does. */
export async function whileDown<T>(
  name: ServerName,
  how: 'stop' | 'kill',
  body: () => Promise<T>,
): Promise<T> {
  await tell(name, how);
  try {
    return await body();
  } finally {
    await tell(name, 'start');
  }
}

/** Null while it does not run, and for containers. */
export function serverPid(name: ServerName): Promise<number | null> {
  return tell(name, 'pid');
}

async function tell(name: ServerName, action: 'stop' | 'kill' | 'start' | 'pid'): Promise<number | null> {
  const answer = await fetch(`${setting('TEST_STACK_DOOR')}/${name}/${action}`, {
    method: action === 'pid' ? 'GET' : 'POST',
    signal: AbortSignal.timeout(ACTION_LIMIT_MS),
  });
  invariant(answer.ok, `${action} ${name}: ${answer.ok ? '' : await answer.text()}`);
  return (await answer.json()) as number | null;
}

function setting(name: string): string {
  const value = process.env[name];
  invariant(
    value !== undefined && value !== '',
    `${name} is set by test/support/stack-setup.ts (project real)`,
  );
  return value;
}

// Vitest's global set-up of the project `real`: one set of servers for all its files, named in the environment, and a
// door on loopback through which a test can take a server away and bring it back (stack-servers.ts).
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { ServerHandle, Stack } from '../../src/app/stack/running-stack.ts';
import { startStack } from '../../src/app/stack/stack.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export async function setup(): Promise<() => Promise<void>> {
  buildForTestsThatRunThePinBinary();
  const stack = await startStack({
    redis: true,
    say: (line) => console.log(`stack: ${line}`),
    environment: process.env,
    cacheFolder: `${ROOT}.cache`,
  });
  const door = await openDoor(stack);
  Object.assign(process.env, {
    PIN_KAFKA_BROKERS: stack.kafkaBrokers.join(','),
    PIN_REGISTRY_URL: stack.registryUrl,
    PIN_DATABASE_URL: stack.databaseUrl,
    ...(stack.redisUrl === null ? {} : { PIN_REDIS_URL: stack.redisUrl }),
    TEST_STACK_HOW: stack.how,
    TEST_STACK_DOOR: door.url,
  });
  return async () => {
    door.server.closeAllConnections();
    door.server.close();
    await stack.stop();
  };
}

/** `npm test` has done it already, and then this does nothing. */
function buildForTestsThatRunThePinBinary(): void {
  execFileSync(process.execPath, ['scripts/bootstrap.mjs', 'build'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** `POST /kafka/kill` and the like answer when it is done; `GET /kafka/pid` answers a number or null. */
async function openDoor(stack: Stack): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const [, name = '', action = ''] = (request.url ?? '').split('/');
    const handle = Object.values(stack.servers).find((one) => one?.name === name) ?? null;
    act(handle, action).then(
      (answer) => response.end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}` };
}

async function act(handle: ServerHandle | null, action: string): Promise<number | null> {
  if (action === 'stop') await handle?.stop();
  else if (action === 'kill') await handle?.kill();
  else if (action === 'start') await handle?.start();
  return handle?.pid() ?? null;
}

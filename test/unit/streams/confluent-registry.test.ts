import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { systemTimers, type Timers } from '../../../src/runtime/timers.ts';
import { confluentRegistry } from '../../../src/streams/confluent-registry.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

describe('the registry over REST', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function registryAt(handle: Handle, timers: Timers = systemTimers, login = '') {
    const server = createServer(handle);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return confluentRegistry({ timers, url: `http://${login}127.0.0.1:${port}/base/` });
  }

  const answering =
    (status: number, body: string): Handle =>
    (_, response) =>
      void response.writeHead(status).end(body);
  const unavailable = expect.objectContaining({ code: 'REGISTRY_UNAVAILABLE', retriable: true }) as Error;

  it('believes "not found" only in the words of a registry', async () => {
    const ofRegistry = await registryAt(answering(404, '{"error_code":40403,"message":"no such schema"}'));
    expect(await ofRegistry.schemaOf(1)).toEqual({ kind: 'unknown-id' });
    const ofProxy = await registryAt(answering(404, '<html>no such page</html>'));
    await expect(ofProxy.schemaOf(1)).rejects.toThrow(unavailable);
    const ofRouter = await registryAt(answering(404, '{"error_code":0,"message":"no such resource"}'));
    await expect(ofRouter.schemaOf(1)).rejects.toThrow(unavailable);
  });

  it.each([
    ['an error of the server', 500, '{"error_code":50001}'],
    ['a limit', 429, ''],
    ['missing rights', 401, '{"error_code":401}'],
    ['a success without a schema', 200, '{}'],
    ['a success that is no JSON', 200, 'ok'],
    ['an endless answer', 200, ' '.repeat(2_000_000)],
  ])('takes %s for trouble, not for an answer', async (_, status, body) => {
    const registry = await registryAt(answering(status, body));
    await expect(registry.schemaOf(1)).rejects.toThrow(unavailable);
  });

  it('gives up at its deadline when nobody answers', async () => {
    let expire: () => void = () => undefined;
    const timers: Timers = {
      after(_, task) {
        expire = task;
        return () => undefined;
      },
    };
    const registry = await registryAt(() => expire(), timers);
    await expect(registry.schemaOf(1)).rejects.toThrow(/no answer within 5000 ms/);
  });

  it('gives up at its deadline when an answer stops half way', async () => {
    let expire: () => void = () => undefined;
    const timers: Timers = {
      after(_, task) {
        expire = task;
        return () => undefined;
      },
    };
    const registry = await registryAt((_, response) => {
      response.writeHead(200).write('{"schema":', () => expire());
    }, timers);
    await expect(registry.schemaOf(1)).rejects.toThrow(unavailable);
  });

  it('takes a refused connection for trouble', async () => {
    const registry = confluentRegistry({ timers: systemTimers, url: 'http://127.0.0.1:9' });
    await expect(registry.schemaOf(1)).rejects.toThrow(unavailable);
  });

  it('sends the user and password of the URL as Basic authentication, under the base path', async () => {
    const seen: string[] = [];
    const registry = await registryAt(
      (request, response) => {
        seen.push(`${request.url} ${request.headers.authorization}`);
        response.end('{"schema":"\\"long\\""}');
      },
      systemTimers,
      'ada:s%40crit@',
    );
    expect(await registry.schemaOf(7)).toEqual({ kind: 'schema', schema: '"long"' });
    expect(seen).toEqual([`/base/schemas/ids/7 Basic ${Buffer.from('ada:s@crit').toString('base64')}`]);
  });
});

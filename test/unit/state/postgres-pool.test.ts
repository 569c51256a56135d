import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { postgresPool } from '../../../src/state/postgres-pool.ts';

const STARTED = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const DONE = Buffer.concat([message('C', Buffer.from('SET\0')), message('Z', Buffer.from('I'))]);
const ENDED = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

/** As far as the wire goes: it starts a session, and answers the first statement together with the session's end. */
function endsEverySession(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.write(STARTED);
    socket.once('data', () => socket.end(Buffer.concat([DONE, ENDED])));
  });
}

it('tells the question, not the process, of a session that ends in the packet that answers its first statement', async () => {
  server = createServer(endsEverySession);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const pool = postgresPool(
    { logger: silentLogger },
    {
      databaseUrl: `postgres://pin@127.0.0.1:${port}/pin`,
      schema: 'pin',
      applicationName: 'test',
      connections: 1,
    },
  );
  const asked = pool.ask({ name: 'one', text: 'select 1' }, []);
  await expect(asked).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE', retriable: true });
  await pool.close();
});

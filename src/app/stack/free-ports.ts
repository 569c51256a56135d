// Ports on loopback that nobody listens on. They come from below the range that the system hands to outgoing
// connections: a client that keeps dialling a stopped server there can be connected to itself, and then holds the port.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { Fault } from '../../runtime/fault.ts';

const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 29_999;
const MAX_TRIES_PER_PORT = 100;

/** @throws Fault PIN_STACK_NO_PORT when the range is full. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count; tries += 1) {
    if (tries > count * MAX_TRIES_PER_PORT) {
      const message = `no free port between ${LOWEST_PORT} and ${HIGHEST_PORT}`;
      throw new Fault('PIN_STACK_NO_PORT', message, { retriable: true });
    }
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

// Whether a registry, a Postgres or a Redis answers. Each is one question with a deadline; none leaves a connection open.
import { type Address, askOverTcp, PROBE_LIMIT_MS } from './tcp-question.ts';

/** Protocol 3.0, the version number that opens a Postgres session. */
const POSTGRES_PROTOCOL = 196_608;
const AUTHENTICATION_REQUEST = 'R'.charCodeAt(0);

/** `url` is the root of the Confluent API. */
export async function registryIsReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
    return answer.ok && Array.isArray(await answer.json());
  } catch {
    return false;
  }
}

/** True when it asks who we are; while starting or stopping it answers with an error instead. */
export async function postgresIsReady(address: Address): Promise<boolean> {
  const parameters = Buffer.from('user\0pin\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(POSTGRES_PROTOCOL, 4);
  const answer = await askOverTcp(
    address,
    Buffer.concat([head, parameters]),
    (received) => received.length > 0,
  );
  return answer?.[0] === AUTHENTICATION_REQUEST;
}

export async function redisIsReady(address: Address): Promise<boolean> {
  const answer = await askOverTcp(address, Buffer.from('PING\r\n'), (received) => received.includes('\r\n'));
  return answer?.toString('latin1').startsWith('+PONG') === true;
}

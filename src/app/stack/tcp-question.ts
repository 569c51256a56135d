// One question over a fresh TCP connection, for probes that speak a server's own protocol in a few bytes.
import { connect } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export const PROBE_LIMIT_MS = 1_000;

/** The bytes received once `isWhole` says so; null when the server does not answer in time or hangs up. */
export function askOverTcp(
  address: Address,
  question: Buffer,
  isWhole: (received: Buffer) => boolean,
): Promise<Buffer | null> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(address);
    const finish = (answer: Buffer | null) => {
      clearTimeout(limit);
      socket.destroy();
      resolve(answer);
    };
    const limit = setTimeout(() => finish(null), PROBE_LIMIT_MS);
    socket.on('connect', () => socket.write(question));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (isWhole(received)) finish(received);
    });
    socket.on('error', () => finish(null));
    socket.on('close', () => finish(null));
  });
}

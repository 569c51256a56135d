// The sockets of one client, so that its end is certain: kafkajs waits for ever for an answer that cannot come any more, and may connect
// again after it was told to disconnect. After `drop` every socket is gone and no new one comes to life.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory, ISocketFactoryArgs } from 'kafkajs';
import { Fault } from '../../runtime/fault.ts';

export interface Sockets {
  readonly factory: ISocketFactory;
  drop(): void;
}

const KEEP_ALIVE_DELAY_MS = 60_000;
/** The client logs it for each socket that was still open. */
export const CLIENT_DROPPED = 'the client was dropped';

export function sockets(): Sockets {
  const open = new Set<Socket>();
  let dropped = false;
  // Without an error kafkajs would not notice and would check for answers for ever.
  const end = (socket: Socket) =>
    socket.destroy(new Fault('LOG_CLOSED', CLIENT_DROPPED, { retriable: false }));
  return {
    factory(wanted) {
      const socket = socketTo(wanted);
      socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
      socket.once('close', () => open.delete(socket));
      // kafkajs takes leave of a dead socket again and again, and leaves a listener each time.
      socket.setMaxListeners(0);
      open.add(socket);
      if (dropped) end(socket);
      return socket;
    },
    drop() {
      dropped = true;
      for (const socket of open) end(socket);
    },
  };
}

function socketTo({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
  // What was set as `ssl` comes through: true, or nothing.
  const secure: unknown = ssl;
  if (secure === null || secure === undefined || secure === false) return connect({ host, port }, onConnect);
  return connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }, onConnect);
}

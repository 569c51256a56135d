// A door in front of the vendor that can be shut as if nobody listened there: a connection is refused, not reset.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { invariant } from '../../src/runtime/fault.ts';

export interface ProviderDoor {
  readonly port: number;
  /** Ends every connection and listens no more. */
  shut(): Promise<void>;
  /** Listens again on the same port. */
  open(): Promise<void>;
}

/** Open at first. `targetPort` is asked for each connection. */
export async function providerDoor(targetPort: () => number): Promise<ProviderDoor> {
  const sockets = new Set<Socket>();
  const watch = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  };
  const serve = (caller: Socket) => {
    const callee = connect(targetPort(), '127.0.0.1');
    for (const socket of [caller, callee]) watch(socket);
    caller.pipe(callee).pipe(caller);
    caller.on('close', () => callee.destroy());
    callee.on('close', () => caller.destroy());
  };
  let server = await listening(serve, 0);
  const address = server.address();
  invariant(typeof address === 'object' && address !== null, 'a TCP server has a port');
  const { port } = address;
  return {
    port,
    shut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    async open() {
      server = await listening(serve, port);
    },
  };
}

function listening(serve: (socket: Socket) => void, port: number): Promise<Server> {
  const server = createServer(serve);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

// A door to a server that others use too: a test can shut it for its own service alone, as if the server were gone.
import { connect, createServer, type Socket } from 'node:net';

export interface RefusingProxy {
  /** `url` with this proxy in place of its host and port. */
  urlFor(url: string): string;
  /** Ends every connection and resets every new one. */
  refuse(): void;
  pass(): void;
  close(): Promise<void>;
}

export async function refusingProxy(target: string): Promise<RefusingProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let isShut = false;
  const watch = (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
  };
  const server = createServer((caller) => {
    watch(caller);
    if (isShut) {
      caller.resetAndDestroy();
      return;
    }
    const callee = connect(Number(port), hostname);
    watch(callee);
    caller.pipe(callee).pipe(caller);
    caller.on('close', () => callee.destroy());
    callee.on('close', () => caller.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const ownPort = typeof address === 'object' && address !== null ? address.port : 0;
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    urlFor(url) {
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(ownPort);
      return through.href;
    },
    refuse() {
      isShut = true;
      endAll();
    },
    pass() {
      isShut = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endAll();
      }),
  };
}

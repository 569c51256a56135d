// A relay to Postgres on loopback that loses, on order, a request before the server sees it or an answer after the server gave it.
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { invariant } from '../../../src/runtime/fault.ts';

export interface CuttingProxy {
  /** The database's address by way of the relay. */
  readonly url: string;
  /** The next request that contains `text` is not forwarded: the connection breaks instead. Resolves when it did. */
  cutRequest(text: string): Promise<void>;
  /** The next request that contains `text` is forwarded; its answers are swallowed up to `answer`, then the connection breaks. */
  cutAnswer(text: string, answer: string): Promise<void>;
  /** New connections wait until `open`. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

interface Order {
  readonly text: string;
  /** null: cut the request. */
  readonly answer: string | null;
  readonly done: () => void;
}

export async function cuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const links = new Set<() => void>();
  let order: Order | null = null;
  let gate = Promise.resolve();
  let openGate: () => void = () => undefined;
  const server = createServer((client) => {
    void gate.then(() => {
      const cut = link(client, dial(Number(target.port || 5432), target.hostname), takeOrder);
      links.add(cut);
    });
  });
  const takeOrder = (request: Buffer): Order | null => {
    if (order === null || !request.includes(order.text)) return null;
    const taken = order;
    order = null;
    return taken;
  };
  const give = (text: string, answer: string | null) =>
    new Promise<void>((done) => {
      order = { text, answer, done };
    });
  const port = await listening(server);
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    cutRequest: (text) => give(text, null),
    cutAnswer: (text, answer) => give(text, answer),
    shut() {
      gate = new Promise((resolve) => {
        openGate = resolve;
      });
    },
    open: () => openGate(),
    close() {
      for (const cut of links) cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function link(client: Socket, server: Socket, takeOrder: (request: Buffer) => Order | null): () => void {
  let obeyed: Order | null = null;
  let swallowed = '';
  const cut = () => {
    client.destroy();
    server.destroy();
  };
  client.on('data', (request) => {
    obeyed ??= takeOrder(request);
    if (obeyed?.answer !== null || obeyed === null) server.write(request);
    else {
      cut();
      obeyed.done();
    }
  });
  server.on('data', (answer) => {
    if (obeyed === null || obeyed.answer === null) {
      client.write(answer);
      return;
    }
    swallowed += answer.toString('latin1');
    if (!swallowed.includes(obeyed.answer)) return;
    cut();
    obeyed.done();
  });
  for (const side of [client, server]) side.on('error', cut).on('close', cut);
  return cut;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  invariant(address !== null && typeof address === 'object', 'a TCP server has a port');
  return address.port;
}

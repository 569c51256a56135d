// A relay to Postgres on loopback that stops one flush of the store at a chosen message and holds it there: before its BEGIN, before
// its marks, before its COMMIT, or before the answer to its COMMIT. What is held goes on when released, or its connection breaks.
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { unreachable } from '../../../src/domain/unreachable.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import type { Hold, HoldEnd, HoldPoint } from '../../contract/state/interleaving-world.ts';
import {
  asksForReady,
  clientMessages,
  isCommitted,
  isReady,
  isSimpleQuery,
  serverMessages,
} from './wire-messages.ts';

export interface HeldWire {
  /** The database's address by way of the relay. */
  readonly url: string;
  hold(point: HoldPoint, end?: HoldEnd): Hold;
  close(): Promise<void>;
}

interface Order {
  readonly point: HoldPoint;
  readonly isCut: boolean;
  readonly reach: () => void;
  readonly released: Promise<void>;
}

/** Takes the waiting order if `message` is its point. */
type TakeOrder = (message: Buffer) => Order | null;

export async function heldWire(databaseUrl: string): Promise<HeldWire> {
  const target = new URL(databaseUrl);
  const links = new Set<() => void>();
  let order: Order | null = null;
  const takeOrder: TakeOrder = (message) => {
    if (order === null || !isPoint(order.point, message)) return null;
    const taken = order;
    order = null;
    return taken;
  };
  const server = createServer((client) => {
    links.add(link(client, dial(Number(target.port || 5432), target.hostname), takeOrder));
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${await listening(server)}`;
  return {
    url: url.href,
    hold(point, end = 'go') {
      invariant(order === null, 'one hold at a time');
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const reached = new Promise<void>((reach) => {
        order = { point, isCut: end === 'cut', reach, released };
      });
      return { reached, release };
    },
    close() {
      for (const cut of links) cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function isPoint(point: HoldPoint, message: Buffer): boolean {
  switch (point) {
    case 'before-statements':
      return isSimpleQuery(message, 'begin');
    case 'before-marks':
      return message.includes('pin_mark_rows');
    case 'before-commit':
    case 'before-answer':
      return isSimpleQuery(message, 'commit');
    default:
      return unreachable(point);
  }
}

/** One connection; returns how to break it. */
function link(client: Socket, server: Socket, takeOrder: TakeOrder): () => void {
  const cut = () => {
    client.destroy();
    server.destroy();
  };
  // The start of a session is answered like a query.
  let unready = 1;
  let atRequest: Order | null = null;
  let atAnswer: Order | null = null;
  const answers = line((message) => client.write(message), cut);
  const requests = line((message) => {
    if (asksForReady(message)) unready += 1;
    server.write(message);
  }, cut);
  /** A request is held where it should be only when the server has done what came before it. */
  const reachRequest = () => {
    if (atRequest === null || unready > 0) return;
    requests.stand(atRequest);
    atRequest = null;
  };
  const [requestsIn, answersIn] = [clientMessages(), serverMessages()];
  client.on('data', (bytes) => {
    for (const message of requestsIn(bytes)) {
      const order = takeOrder(message);
      if (order?.point === 'before-answer') atAnswer = order;
      else if (order !== null) {
        atRequest = order;
        requests.keep();
      }
      requests.send(message);
    }
    reachRequest();
  });
  server.on('data', (bytes) => {
    for (const message of answersIn(bytes)) {
      if (isReady(message)) unready -= 1;
      if (atAnswer !== null && isCommitted(message)) {
        answers.keep();
        answers.stand(atAnswer);
        atAnswer = null;
      }
      answers.send(message);
    }
    reachRequest();
  });
  for (const side of [client, server]) side.on('error', cut).on('close', cut);
  return cut;
}

interface Line {
  send(message: Buffer): void;
  /** Keeps back whatever is sent from now on. */
  keep(): void;
  /** The order's point is reached: waits for its release, then sends what was kept or cuts. */
  stand(order: Order): void;
}

function line(write: (message: Buffer) => void, cut: () => void): Line {
  let kept: Buffer[] | null = null;
  return {
    send(message) {
      if (kept === null) write(message);
      else kept.push(message);
    },
    keep() {
      kept = [];
    },
    stand({ reach, released, isCut }) {
      reach();
      void released.then(() => {
        if (isCut) return cut();
        for (const message of kept ?? []) write(message);
        kept = null;
      });
    },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  invariant(address !== null && typeof address === 'object', 'a TCP server has a port');
  return address.port;
}

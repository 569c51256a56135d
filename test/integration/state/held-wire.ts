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
  simpleQuery,
} from './wire-messages.ts';

export interface HeldWire {
  /** The database's address by way of the relay. */
  readonly url: string;
  hold(point: HoldPoint, end?: HoldEnd): Hold;
  /** The next BEGIN arrives garbled: the server refuses it, and what follows runs without a transaction. */
  garbleBegin(): void;
  /** Present connections go silent: the server hears nothing more, not even that its client left. New ones work. */
  vanish(): void;
  close(): Promise<void>;
}

interface Link {
  cut(): void;
  vanish(): void;
}

interface Order {
  readonly point: HoldPoint;
  readonly isCut: boolean;
  readonly reach: () => void;
  readonly released: Promise<void>;
}

interface Orders {
  /** Takes the waiting order if `message` is its point. */
  take(message: Buffer): Order | null;
  /** The message as the server shall see it. */
  sent(message: Buffer): Buffer;
}

export async function heldWire(databaseUrl: string): Promise<HeldWire> {
  const target = new URL(databaseUrl);
  const links = new Set<Link>();
  let order: Order | null = null;
  let isBeginGarbled = false;
  const orders: Orders = {
    take(message) {
      if (order === null || !isPoint(order.point, message)) return null;
      const taken = order;
      order = null;
      return taken;
    },
    sent(message) {
      if (!isBeginGarbled || !isSimpleQuery(message, 'begin')) return message;
      isBeginGarbled = false;
      return simpleQuery('garbled');
    },
  };
  const server = createServer((client) => {
    links.add(link(client, dial(Number(target.port || 5432), target.hostname), orders));
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
    garbleBegin() {
      isBeginGarbled = true;
    },
    vanish() {
      for (const one of links) one.vanish();
    },
    close() {
      for (const one of links) one.cut();
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

function link(client: Socket, server: Socket, orders: Orders): Link {
  const cut = () => {
    client.destroy();
    server.destroy();
  };
  let hasVanished = false;
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
    if (hasVanished) return;
    for (const message of requestsIn(bytes)) {
      const order = orders.take(message);
      if (order?.point === 'before-answer') atAnswer = order;
      else if (order !== null) {
        atRequest = order;
        requests.keep();
      }
      requests.send(orders.sent(message));
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
  server.on('error', cut).on('close', cut);
  client.on('error', cut).on('close', () => {
    if (!hasVanished) cut();
  });
  return {
    cut,
    vanish() {
      hasVanished = true;
    },
  };
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

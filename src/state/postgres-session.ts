// One connection that one owner uses, opened when it is needed and opened again after it was lost.
// It promises: a connection that died never kills the process; work runs on a connection with the session's settings. It never retries.
import { Socket } from 'node:net';
import pg from 'pg';
import { Fault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { type Timers, within } from '../runtime/timers.ts';
import { connectionConfig, type PostgresSettings, SESSION_SETTINGS } from './postgres-settings.ts';

const GOODBYE_LIMIT_MS = 2_000;

export interface PostgresConnection {
  readonly client: pg.Client;
  /** Whatever `send` queries leaves in one piece: one round trip, one system call, whatever their number. */
  together<T>(send: () => T): T;
}

export interface PostgresSession {
  /** The same connection until it was lost or dropped. @throws Fault STATE_UNAVAILABLE */
  connection(): Promise<PostgresConnection>;
  /** Gives the connection up: the next `connection` is a new one. */
  drop(): void;
  /** Runs `task` when the present connection is lost. */
  onLost(task: () => void): void;
  close(): Promise<void>;
}

export function postgresSession(
  deps: { readonly logger: Logger; readonly timers: Timers },
  settings: PostgresSettings,
): PostgresSession {
  let open: PostgresConnection | null = null;
  let tellLost: () => void = () => undefined;
  const drop = () => {
    const dropped = open;
    open = null;
    if (dropped !== null) void leave(deps.timers, dropped.client);
  };
  const connect = async (): Promise<PostgresConnection> => {
    const socket = new Socket();
    const client = new pg.Client({ ...connectionConfig(settings), pipeline: true, stream: () => socket });
    client.on('error', (error) => {
      deps.logger.warn('state.connection-lost', { detail: messageOf(error) });
    });
    client.on('end', () => {
      if (open?.client === client) open = null;
      tellLost();
    });
    try {
      await client.connect();
      await client.query(SESSION_SETTINGS);
    } catch (error) {
      void leave(deps.timers, client);
      throw new Fault('STATE_UNAVAILABLE', `connect: ${messageOf(error)}`, { retriable: true, cause: error });
    }
    return { client, together: (send) => corked(socket, send) };
  };
  return {
    async connection() {
      open ??= await connect();
      return open;
    },
    drop,
    onLost(task) {
      tellLost = task;
    },
    async close() {
      const last = open;
      open = null;
      if (last !== null) await leave(deps.timers, last.client);
    },
  };
}

async function leave(timers: Timers, client: pg.Client): Promise<void> {
  await within(timers, GOODBYE_LIMIT_MS, 'STATE_UNAVAILABLE', client.end()).catch(() => undefined);
}

function corked<T>(socket: Socket, send: () => T): T {
  socket.cork();
  try {
    return send();
  } finally {
    socket.uncork();
  }
}

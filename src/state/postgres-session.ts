// One connection that one owner uses, opened when it is needed and opened again after it was lost.
// It promises: a connection that died never kills the process; work runs on a connection with the session's settings. It never retries.
import pg from 'pg';
import { Fault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { type Timers, within } from '../runtime/timers.ts';
import { connectionConfig, type PostgresSettings, SESSION_SETTINGS } from './postgres-settings.ts';

const GOODBYE_LIMIT_MS = 2_000;

export interface PostgresSession {
  /** The connection; the same one until it was lost or dropped. @throws Fault STATE_UNAVAILABLE */
  client(): Promise<pg.Client>;
  /** Gives the connection up: the next `client` is a new one. */
  drop(): void;
  /** Runs `task` when the present connection is lost. */
  onLost(task: () => void): void;
  close(): Promise<void>;
}

export function postgresSession(
  deps: { readonly logger: Logger; readonly timers: Timers },
  settings: PostgresSettings,
): PostgresSession {
  let open: pg.Client | null = null;
  let tellLost: () => void = () => undefined;
  const drop = () => {
    const dropped = open;
    open = null;
    if (dropped !== null) void leave(deps.timers, dropped);
  };
  const connect = async (): Promise<pg.Client> => {
    // All statements of a flush travel together: one round trip, whatever their number.
    const client = new pg.Client({ ...connectionConfig(settings), pipeline: true });
    client.on('error', (error) => {
      deps.logger.warn('state.connection_lost', { detail: messageOf(error) });
    });
    client.on('end', () => {
      if (open === client) open = null;
      tellLost();
    });
    try {
      await client.connect();
      await client.query(SESSION_SETTINGS);
    } catch (error) {
      void leave(deps.timers, client);
      throw new Fault('STATE_UNAVAILABLE', `connect: ${messageOf(error)}`, { retriable: true, cause: error });
    }
    return client;
  };
  return {
    async client() {
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
      if (last !== null) await leave(deps.timers, last);
    },
  };
}

async function leave(timers: Timers, client: pg.Client): Promise<void> {
  await within(timers, GOODBYE_LIMIT_MS, 'STATE_UNAVAILABLE', client.end()).catch(() => undefined);
}

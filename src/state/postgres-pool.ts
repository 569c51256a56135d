// Connections for reading and for the small tables. One statement each, no transaction held, errors as Faults.
// It promises: a connection that dies idle or at work never kills the process.
import pg from 'pg';
import { messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { type Answer, ask, type Value } from './asking.ts';
import { closedFault } from './closed-fault.ts';
import { stateFault } from './postgres-failure.ts';
import { connectionConfig, type PostgresSettings, SESSION_SETTINGS } from './postgres-settings.ts';
import type { Statement } from './statement.ts';

export interface PostgresPool {
  /** @throws Fault STATE_UNAVAILABLE (retriable), STATE_REFUSED, STATE_CLOSED */
  ask(statement: Statement, values: readonly Value[]): Promise<Answer>;
  close(): Promise<void>;
}

const IDLE_LIMIT_MS = 60_000;

export function postgresPool(
  deps: { readonly logger: Logger },
  settings: PostgresSettings & { readonly connections: number; readonly sessionSettings?: string },
): PostgresPool {
  const pool = new pg.Pool({
    ...connectionConfig(settings),
    max: settings.connections,
    idleTimeoutMillis: IDLE_LIMIT_MS,
    allowExitOnIdle: true,
    verify: (client, done) => {
      client.query(settings.sessionSettings ?? SESSION_SETTINGS).then(() => done(), done);
    },
  });
  // Between its first statement and its first question a new connection has no listener of the pool: an end told in that very packet would
  // be nobody's, and end the process. The question that follows is told.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  pool.on('error', (error) => deps.logger.warn('state.connection-lost', { detail: messageOf(error) }));
  let ending: Promise<void> | null = null;
  return {
    async ask(statement, values) {
      if (ending !== null) throw closedFault();
      try {
        return await ask(pool, statement, values);
      } catch (error) {
        throw stateFault(error);
      }
    },
    close() {
      ending ??= pool.end();
      return ending;
    },
  };
}

// A lock that the whole deployment shares: a session-level advisory lock on a connection of its own.
// The lock's number is `hashtextextended('<schema>:<name>', 0)`, so that schemas of one database do not meet.
// It promises: the pass is told through its signal as soon as the connection is known to be gone, because the lock is gone with it;
// a holder that fell silent keeps it for SILENCE_LIMIT_MS at most.
import type { Logger } from '../runtime/logger.ts';
import { type Cancel, every, type Timers } from '../runtime/timers.ts';
import { type Askable, ask } from './asking.ts';
import { flag } from './cells.ts';
import { stateFault } from './postgres-failure.ts';
import { type PostgresSession, postgresSession } from './postgres-session.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import type { Statement } from './statement.ts';
import type { NotificationStore } from './store.ts';

/** A connection that died without a word (a cable, a NAT) is found this often. */
const HEARTBEAT_MS = 5_000;

/**
 * A holder that the server has not heard for so long (frozen, or cut off without a word) loses its session and with it the lock; else its
 * lock would outlive it for as long as the server's TCP believes in it, two hours by default. Longer than a heartbeat takes to fail, so that
 * a holder that is only cut off knows first.
 */
const SILENCE_LIMIT_MS = 20_000;

const TAKE: Statement = {
  name: 'pin_take_lock',
  text: 'select pg_try_advisory_lock(hashtextextended($1, 0))',
};
const LIMIT_SILENCE = `set idle_session_timeout = ${SILENCE_LIMIT_MS}`;
const BEAT: Statement = { name: 'pin_beat', text: 'select 1' };

export function namedLock(
  deps: { readonly logger: Logger; readonly timers: Timers },
  settings: PostgresSettings,
): NotificationStore['underLock'] {
  return async (lock, pass) => {
    const session = postgresSession(deps, settings);
    const lost = new AbortController();
    const lose = () => lost.abort();
    let stopBeating: Cancel = () => undefined;
    try {
      const holder = await take(session, `${settings.schema}:${lock}`);
      if (holder === null) return null;
      session.onLost(lose);
      stopBeating = every(deps.timers, HEARTBEAT_MS, async () => void (await ask(holder, BEAT, [])), lose);
      return await pass(lost.signal);
    } finally {
      stopBeating();
      // The lock ends with its session.
      await session.close();
    }
  };
}

/** The connection that holds the lock now; null when another has it. Only this very connection holds it: never another in its place. */
async function take(session: PostgresSession, name: string): Promise<Askable | null> {
  try {
    const { client } = await session.connection();
    await client.query(LIMIT_SILENCE);
    const [taken] = await ask(client, TAKE, [name]);
    return flag(taken?.[0]) ? client : null;
  } catch (error) {
    throw stateFault(error);
  }
}

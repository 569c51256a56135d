// A lock that the whole deployment shares: a session-level advisory lock on a connection of its own.
// The lock's number is `hashtextextended('<schema>:<name>', 0)`, so that schemas of one database do not meet.
// It promises: the pass is told through its signal as soon as the connection is known to be gone, because the lock is gone with it.
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

const TAKE: Statement = {
  name: 'pin_take_lock',
  text: 'select pg_try_advisory_lock(hashtextextended($1, 0))',
};
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
    const [taken] = await ask(client, TAKE, [name]);
    return flag(taken?.[0]) ? client : null;
  } catch (error) {
    throw stateFault(error);
  }
}

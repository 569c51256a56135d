// Listens to a source's inserts where its trigger is installed (deploy/sql/relay-notify.sql). It only makes things fast: what is missed
// here, the looks find.
import { Fault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { pause, type Timers, within } from '../runtime/timers.ts';
import { postgresSession } from '../state/postgres-session.ts';
import type { RelaySource } from './source.ts';
import { type SteadyDeps, steadyLoop } from './steady-loop.ts';

export const CHANNEL = 'pin_relay';
/** A connection that died without a word is found this often. */
const BEAT_MS = 5_000;
const BEAT_LIMIT_MS = 5_000;

/** `ids` empty: there is something, look. */
export type OnAnnounced = (ids: readonly string[]) => void;

/** Listens until the stop; also announces once whenever it begins anew, since inserts were missed before. */
export async function listenToSource(
  deps: SteadyDeps & { readonly timers: Timers; readonly logger: Logger },
  databaseUrl: string,
  source: RelaySource,
  onAnnounced: OnAnnounced,
): Promise<void> {
  const session = postgresSession(deps, {
    databaseUrl,
    schema: source.schema,
    applicationName: 'pin-relay-listen',
  });
  let heard: object | null = null;
  await steadyLoop(deps, `announcements of ${source.key}`, async () => {
    const { client } = await session.connection();
    try {
      if (heard !== client) {
        client.on('notification', ({ payload }) => {
          const ids = announcedIds(source, payload ?? '');
          if (ids !== null) onAnnounced(ids);
        });
        await within(deps.timers, BEAT_LIMIT_MS, 'STATE_UNAVAILABLE', client.query(`listen ${CHANNEL}`));
        heard = client;
        onAnnounced([]);
      }
      await within(deps.timers, BEAT_LIMIT_MS, 'STATE_UNAVAILABLE', client.query('select 1'));
    } catch (error) {
      session.drop();
      heard = null;
      throw new Fault('STATE_UNAVAILABLE', messageOf(error), { retriable: true, cause: error });
    }
    await pause(deps.timers, BEAT_MS, deps.stopping);
  });
  await session.close();
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `schema.table id,id,…`; null when it is about another table. Ids that are none are left to the looks. */
export function announcedIds({ schema, table }: RelaySource, payload: string): readonly string[] | null {
  const prefix = `${schema}.${table} `;
  if (!payload.startsWith(prefix)) return null;
  return payload
    .slice(prefix.length)
    .split(',')
    .filter((id) => UUID.test(id));
}

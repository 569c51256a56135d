// The relay's bookkeeping on Postgres, in our schema. Claims are taken by insert, claims that nobody finished by SKIP LOCKED: several relays
// share a table without waiting for each other.
import type { Logger } from '../runtime/logger.ts';
import { postgresPool } from '../state/postgres-pool.ts';
import { type PostgresSettings, quotedName, SESSION_SETTINGS } from '../state/postgres-settings.ts';
import type { RelayProgress } from './progress.ts';
import { claiming } from './progress-claims.ts';
import { outcomes } from './progress-outcomes.ts';
import { watching } from './progress-watch.ts';

const CONNECTIONS = 4;

/** Connects when it is first used. The schema must be migrated. */
export function relayProgress(deps: { readonly logger: Logger }, settings: PostgresSettings): RelayProgress {
  const schema = quotedName(settings.schema);
  const pool = postgresPool(deps, {
    ...settings,
    connections: CONNECTIONS,
    sessionSettings: SESSION_SETTINGS,
  });
  return {
    ...claiming(pool, schema),
    ...outcomes(pool, schema),
    ...watching(pool, schema),
    close: () => pool.close(),
  };
}

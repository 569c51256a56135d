// The outbox tables that the settings name, each with its database, and the relay's own bookkeeping. Nothing connects before it is asked to.
import type { SourceAddress } from '../relay/open-sources.ts';
import { relayProgress } from '../relay/postgres-progress.ts';
import type { RelayProgress } from '../relay/progress.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Config } from './config/config.ts';

/** Empty where nothing is to be relayed. */
export function relayAddresses({ relay, relayDatabases, database }: Config): readonly SourceAddress[] {
  const shared = relay.databaseUrl ?? database.url;
  return (relay.sources ?? []).map((source) => {
    const named = source.database === null ? shared : relayDatabases.get(source.database);
    return { source, databaseUrl: named ?? shared };
  });
}

/** Connects when it is first used. */
export function progressOfConfig({ database }: Config, logger: Logger): RelayProgress {
  const { url, schema } = database;
  return relayProgress({ logger }, { databaseUrl: url, schema, applicationName: 'pin-relay' });
}

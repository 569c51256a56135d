// Opens the outbox tables of the settings after asking each database whether it may be relayed by our role.
import type { Logger } from '../runtime/logger.ts';
import { postgresPool } from '../state/postgres-pool.ts';
import type { Outbox } from './outbox.ts';
import { postgresOutbox } from './postgres-outbox.ts';
import type { RelaySource } from './source.ts';
import { checkSource, type SourceFindings } from './source-checks.ts';
import { readSourceFacts, type SourceFacts } from './source-facts.ts';

export interface SourceAddress {
  readonly source: RelaySource;
  readonly databaseUrl: string;
}

export interface AskedSource extends SourceAddress, SourceFindings {
  /** null: there is no such table. */
  readonly facts: SourceFacts | null;
}

/** @throws Fault STATE_UNAVAILABLE (retriable) when a database does not answer */
export function askSources(
  deps: { readonly logger: Logger },
  addresses: readonly SourceAddress[],
): Promise<readonly AskedSource[]> {
  return Promise.all(addresses.map((address) => askSource(deps, address)));
}

async function askSource(deps: { readonly logger: Logger }, address: SourceAddress): Promise<AskedSource> {
  const { source, databaseUrl } = address;
  const pool = postgresPool(deps, {
    ...{ databaseUrl, schema: source.schema, applicationName: 'pin-relay-check', connections: 1 },
    sessionSettings: `set timezone = 'UTC'`,
  });
  try {
    const facts = await readSourceFacts(pool, source);
    return { ...address, facts, ...checkSource(source, facts) };
  } finally {
    await pool.close();
  }
}

/** Those that are there and not refused. */
export function openOutboxes(
  deps: { readonly logger: Logger },
  asked: readonly AskedSource[],
): readonly Outbox[] {
  return asked.flatMap(({ source, databaseUrl, facts, refused }) =>
    facts === null || refused.length > 0 ? [] : [postgresOutbox(deps, { source, databaseUrl, facts })],
  );
}

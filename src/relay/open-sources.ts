// Opens the outbox tables of the settings after asking each database whether it may be relayed by our role. A database that does not answer
// is asked again later: it never keeps the others waiting, and its table is not opened before it passed the same checks.
import { Fault, isFault } from '../runtime/fault.ts';
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
  /** null: there is no such table, or nobody answered. */
  readonly facts: SourceFacts | null;
  /** The database did not answer; null when it did. */
  readonly away: Fault | null;
}

export function askSources(
  deps: { readonly logger: Logger },
  addresses: readonly SourceAddress[],
): Promise<readonly AskedSource[]> {
  return Promise.all(addresses.map((address) => askSource(deps, address)));
}

/** Opens it as soon as it may be; ready to be called again after a Fault. */
export function sourceOpener(deps: { readonly logger: Logger }, asked: AskedSource): () => Promise<Outbox> {
  let known = asked.away === null ? asked : null;
  return async () => {
    const { source, databaseUrl, facts, refused, warnings, away } = known ?? (await askSource(deps, asked));
    known = null;
    if (away !== null) throw away;
    if (facts === null || refused.length > 0) {
      const sentence = `it is not safe to relay it: ${refused.join('; ')}`;
      throw new Fault('START_UNSAFE', sentence, { retriable: false });
    }
    for (const detail of warnings) deps.logger.warn('relay.source', { source: source.key, detail });
    return postgresOutbox(deps, { source, databaseUrl, facts });
  };
}

async function askSource(deps: { readonly logger: Logger }, address: SourceAddress): Promise<AskedSource> {
  const { source, databaseUrl } = address;
  const pool = postgresPool(deps, {
    ...{ databaseUrl, schema: source.schema, applicationName: 'pin-relay-check', connections: 1 },
    sessionSettings: `set timezone = 'UTC'`,
  });
  try {
    const facts = await readSourceFacts(pool, source);
    return { source, databaseUrl, facts, away: null, ...checkSource(source, facts) };
  } catch (error) {
    if (!isFault(error) || !error.retriable) throw error;
    return { source, databaseUrl, facts: null, away: error, refused: [], warnings: [] };
  } finally {
    await pool.close();
  }
}

/** Those that answered, are there and are not refused. */
export function openOutboxes(
  deps: { readonly logger: Logger },
  asked: readonly AskedSource[],
): readonly Outbox[] {
  return asked.flatMap(({ source, databaseUrl, facts, refused }) =>
    facts === null || refused.length > 0 ? [] : [postgresOutbox(deps, { source, databaseUrl, facts })],
  );
}

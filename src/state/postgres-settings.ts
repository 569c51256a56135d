// How the store connects to Postgres: limits, and the settings that keep plans stable while tables grow.
import type { ClientConfig } from 'pg';

export interface PostgresSettings {
  readonly databaseUrl: string;
  /** The schema of the tables, default `pin`. */
  readonly schema: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
}

const CONNECT_LIMIT_MS = 5_000;
/** The server gives up first, so that its answer is known. */
const STATEMENT_LIMIT_MS = 8_000;
const ANSWER_LIMIT_MS = 10_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/** A transaction that hears nothing for so long ends: its client is gone or frozen, and its locks would stop those who take over. */
const IDLE_TRANSACTION_LIMIT_MS = 10_000;

export function connectionConfig({ databaseUrl, applicationName }: PostgresSettings): ClientConfig {
  return {
    connectionString: databaseUrl,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

/**
 * A prepared statement gets one plan, made without looking at values; and never a sequential scan, which a table that grew since its last
 * ANALYZE would otherwise get. Hash joins stay allowed.
 */
export const SESSION_SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off;
set timezone = 'UTC'; set standard_conforming_strings = on;
set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_LIMIT_MS}`;

/** A name in double quotes. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

// What the exit code of `pin` tells a script. The numbers are promises; 69 to 78 follow sysexits.
import { isFault } from '../runtime/fault.ts';

export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  /** Refused by state or version. */
  refused: 4,
  partlyDone: 5,
  unavailable: 69,
  bug: 70,
  tryAgain: 75,
  badConfiguration: 78,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const UNAVAILABLE = /_(UNAVAILABLE|AWAY)$/;
/** Nothing is broken, but somebody has to set, create or register something first. */
const CONFIGURATION =
  /^(CONFIG_|TOPICS_UNSAFE|START_UNSAFE|SCHEMAS_|PIN_PROVIDER_SETTINGS|HTTP_ADDRESS_TAKEN|LOG_SETTINGS_REFUSED|LOG_TOPIC_UNKNOWN|STATE_(NOT_MIGRATED|SCHEMA|PARTITION|SETTINGS))/;

/** Undefined table, invalid schema name: Postgres is there, the tables are not. */
const NO_TABLES = /\b(42P01|3F000)\b/;

export function lacksTables(error: unknown): boolean {
  return isFault(error) && error.code.startsWith('STATE_') && NO_TABLES.test(error.message);
}

/** The code for anything that was thrown; what is no Fault is a bug. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!isFault(error)) return EXIT.bug;
  if (error.code === 'INTERRUPTED') return EXIT.interrupted;
  if (error.code === 'USAGE') return EXIT.usage;
  if (lacksTables(error)) return EXIT.badConfiguration;
  if (UNAVAILABLE.test(error.code)) return EXIT.unavailable;
  if (CONFIGURATION.test(error.code)) return EXIT.badConfiguration;
  return error.retriable ? EXIT.tryAgain : EXIT.failure;
}

// The relay's settings: which outbox tables, in which databases. A database with a name has a setting of its own,
// PIN_RELAY_DATABASE_URL_<NAME>, and a table says `@name`.
import { z } from 'zod';
import { parseSource, type RelaySource } from '../../relay/source.ts';
import { optionalSetting, type Setting, setting } from './setting.ts';
import { duration, urlOf, type ValueSchema, wholeNumber } from './value-schemas.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 86_400_000;
const MAX_SOURCES = 64;
const MAX_BATCH_ROWS = 2_000;
const PREFIX = 'PIN_RELAY_DATABASE_URL_';
const DATABASE_NAME = /^[A-Z][A-Z0-9_]{0,31}$/;

const sources: ValueSchema<readonly RelaySource[]> = z.string().transform((text, context) => {
  const found = text.split(',').map((one) => parseSource(one));
  const known = found.filter((source) => source !== null);
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (known.length !== found.length)
    return refuse(
      'is not a list of schema[.table][@database][:backbone|debezium], such as billing,crm:debezium',
    );
  if (known.length > MAX_SOURCES) return refuse(`must name at most ${MAX_SOURCES} tables`);
  if (new Set(known.map(({ key }) => key)).size < known.length) return refuse('names a table twice');
  return known;
});

export const RELAY_SETTINGS = {
  sources: optionalSetting(
    'PIN_RELAY_SCHEMAS',
    'Outbox tables to relay, by comma: schema[.table][@database][:preset], preset backbone or debezium.',
    sources,
  ),
  databaseUrl: optionalSetting(
    'PIN_RELAY_DATABASE_URL',
    'The database of the outbox tables, where it is not PIN_DATABASE_URL; PIN_RELAY_DATABASE_URL_<NAME> for those that say @name.',
    urlOf(['postgres', 'postgresql']),
    { secrecy: 'url' },
  ),
  missingAfterMs: setting(
    'PIN_RELAY_MISSING_AFTER',
    'A relayed row that the state table does not know after this is relayed again.',
    duration(SECOND_MS, DAY_MS),
    '10m',
  ),
  leaseMs: setting(
    'PIN_RELAY_LEASE',
    'How long a relay may take for the rows that it claimed before others take over.',
    duration(SECOND_MS, 10 * MINUTE_MS),
    '30s',
  ),
  pollMs: setting(
    'PIN_RELAY_POLL',
    'The longest pause between two looks at a quiet table.',
    duration(50, MINUTE_MS),
    '1s',
  ),
  batchRows: setting('PIN_RELAY_BATCH', 'Rows of one batch.', wholeNumber(1, MAX_BATCH_ROWS), '500'),
  retentionMs: setting(
    'PIN_RELAY_RETENTION',
    'How long the relay remembers a row after its outcome; a later outcome is not told to it.',
    duration(DAY_MS, 3_650 * DAY_MS),
    '30d',
  ),
} as const;

/** The setting of one named database. */
export function relayDatabaseSetting(name: string): Setting<string | null> {
  const schema = urlOf(['postgres', 'postgresql']);
  return optionalSetting(`${PREFIX}${name}`, 'Database of outbox tables that say its name.', schema, {
    secrecy: 'url',
  });
}

/** The databases that the environment names, as in the variables, in order. */
export function relayDatabaseNames(names: readonly string[]): readonly string[] {
  const found = names
    .filter((name) => name.startsWith(PREFIX) && name !== `${PREFIX}FILE`)
    .map((name) => name.slice(PREFIX.length).replace(/_FILE$/, ''));
  return [...new Set(found)].filter((name) => DATABASE_NAME.test(name)).sort();
}

/** `CRM_MAIN` → `crm_main`: how tables name it. */
export function relayDatabaseKey(name: string): string {
  return name.toLowerCase();
}

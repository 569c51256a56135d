// Which outbox table to read, and how it is laid out. Written `schema[.table][@database][:preset]`, such as `billing` or
// `crm.outbox@crm:debezium`.

export const PRESET_NAMES = ['backbone', 'debezium'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

export interface RelaySource {
  /** `schema.table` or `database/schema.table`: its name in our table, in logs and on the command line. */
  readonly key: string;
  /** null: the database that all sources without a name share. */
  readonly database: string | null;
  readonly schema: string;
  readonly table: string;
  readonly preset: PresetName;
}

export const DEFAULT_TABLES: Readonly<Record<PresetName, string>> = {
  backbone: 'outbox_events',
  debezium: 'outbox',
};

const NAME = '[A-Za-z_][A-Za-z0-9_$-]{0,62}';
const SOURCE = new RegExp(
  `^(${NAME})(?:\\.(${NAME}))?(?:@([a-z][a-z0-9_]{0,31}))?(?::(${PRESET_NAMES.join('|')}))?$`,
);

/** null when the text does not have that shape. Names are case-sensitive, as in quotes. */
export function parseSource(text: string): RelaySource | null {
  const match = SOURCE.exec(text.trim());
  const [, schema, table, database = null, presetName = 'backbone'] = match ?? [];
  const preset = PRESET_NAMES.find((name) => name === presetName);
  if (schema === undefined || preset === undefined) return null;
  const tableName = table ?? DEFAULT_TABLES[preset];
  const place = `${schema}.${tableName}`;
  return {
    key: database === null ? place : `${database}/${place}`,
    database,
    schema,
    table: tableName,
    preset,
  };
}

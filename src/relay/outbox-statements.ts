// The SQL over one outbox table, by the columns that it has. The type is a literal in every statement: a partial index on it can be used,
// and no row of another type can be met.
import { quotedName } from '../state/postgres-settings.ts';
import type { Statement } from '../state/statement.ts';
import { MAX_PAYLOAD_BYTES } from './outbox-row.ts';
import { columnsOf, type Role, type SourceColumns } from './preset.ts';
import type { RelaySource } from './source.ts';
import type { SourceFacts } from './source-facts.ts';

const TIME_TYPES = ['timestamp with time zone', 'timestamp without time zone'];
const COUNTER_TYPES = ['smallint', 'integer', 'bigint'];
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface OutboxLayout {
  readonly table: string;
  readonly columns: SourceColumns;
  readonly occurredAtType: string;
  /** Rows may lack the time. */
  readonly hasTimeless: boolean;
  readonly raisesVersion: boolean;
}

export function layoutOf(source: RelaySource, facts: SourceFacts): OutboxLayout {
  const existing = columnsOf(source.preset, new Set(facts.columns.keys()));
  const factsOf = (name: string | null) => (name === null ? undefined : facts.columns.get(name));
  const occurredAt = factsOf(existing.occurredAt);
  const isTime = occurredAt !== undefined && TIME_TYPES.includes(occurredAt.type);
  const version = factsOf(existing.version);
  return {
    table: `${quotedName(source.schema)}.${quotedName(source.table)}`,
    columns: isTime ? existing : { ...existing, occurredAt: null },
    occurredAtType: occurredAt?.type ?? '',
    hasTimeless: isTime && occurredAt.isNullable,
    raisesVersion: version?.canUpdate === true && COUNTER_TYPES.includes(version.type),
  };
}

export type OutboxStatements = ReturnType<typeof outboxStatements>;

export function outboxStatements(layout: OutboxLayout) {
  const { table, columns, occurredAtType } = layout;
  const column = (role: Role) => (columns[role] === null ? null : `o.${quotedName(columns[role])}`);
  const [id, at] = [column('id') ?? '', column('occurredAt')];
  const isOurs = `${column('type') ?? ''} = 'NotificationRequested'`;
  const [publishedAt, failedAt, reason] = [
    column('publishedAt'),
    column('failedAt'),
    column('failureReason'),
  ];
  const isOpen = [
    isOurs,
    ...[publishedAt, failedAt].flatMap((name) => (name === null ? [] : [`${name} is null`])),
  ].join(' and ');
  const from = `from ${table} as o`;
  const epoch = at === null ? 'null' : `date_part('epoch', ${at})`;
  const order = at === null ? id : `${at}, ${id}`;
  const pageColumns = `${id}, ${epoch}, ${at === null ? 'null' : `${at}::text`}`;
  const pageSql = (where: string) =>
    `select ${pageColumns} ${from} where ${isOpen} and ${where} order by ${order} limit $3::int4`;
  const statement = (name: string, text: string): Statement => ({ name: `pin_relay_${name}`, text });
  const after =
    at === null
      ? `$1::text is null and ${id} > $2::uuid`
      : `(${at}, ${id}) > (coalesce($1, '-infinity')::${occurredAtType}, $2::uuid)`;
  const newest =
    at === null
      ? `$1::text is null and $4::float8 > 0 and ${id} > $2::uuid`
      : `(${at}, ${id}) > (${newestSql(occurredAtType)} - $4::float8 * interval '1 millisecond', $2::uuid)`;
  return {
    page: statement('page', pageSql(after)),
    newest: statement('newest', pageSql(newest)),
    timeless: statement(
      'timeless',
      pageSql(`$1::text is null and ${at ?? 'null::text'} is null and ${id} > $2::uuid`),
    ),
    rows: statement('rows', `${rowsSql(column, epoch, from)} where ${id} = any($1::uuid[]) and ${isOpen}`),
    anyRows: statement(
      'any_rows',
      `${rowsSql(column, epoch, from)} where ${id} = any($1::uuid[]) and ${isOurs}`,
    ),
    openCount: statement('open_count', `select count(*) ${from} where ${isOpen}`),
    failedCount:
      failedAt === null
        ? null
        : statement('failed_count', `select count(*) ${from} where ${isOurs} and ${failedAt} is not null`),
    failed:
      failedAt === null
        ? null
        : statement(
            'failed',
            `select ${id}, ${reason ?? 'null'}, ${failedAt}::text ${from}
where ${isOurs} and ${failedAt} is not null and ($1::uuid[] is null or ${id} = any($1::uuid[]))
  and ($2::text is null or strpos(${reason ?? `''`}, $2) > 0)
  and ($3::float8 is null or ${failedAt} >= to_timestamp($3::float8 / 1000))
order by ${failedAt} desc, ${id} limit $4::int4`,
          ),
    ...writes(layout, { id, isOurs, isOpen, publishedAt, failedAt }, statement),
  };
}

/** A row from the future must not hide those of the present. Without a time zone nobody knows which it is. */
function newestSql(type: string): string {
  return type === 'timestamp with time zone'
    ? 'least($1::timestamptz, statement_timestamp())'
    : `$1::${type}`;
}

function rowsSql(column: (role: Role) => string | null, epoch: string, from: string): string {
  const roles: readonly Role[] = [
    'aggregateType',
    'aggregateId',
    'tenantId',
    'orgUnitId',
    'correlationId',
    'causationId',
  ];
  const texts = roles.map((role) => {
    const name = column(role);
    return name === null ? 'null' : `${name}::text`;
  });
  return `select ${column('id') ?? ''}, case when octet_length(p.payload) <= ${MAX_PAYLOAD_BYTES} then p.payload end, p.payload is null,
  ${texts.join(', ')}, ${epoch}
${from} cross join lateral (select ${column('payload') ?? ''}::text as payload) as p`;
}

interface Names {
  readonly id: string;
  readonly isOurs: string;
  readonly isOpen: string;
  readonly publishedAt: string | null;
  readonly failedAt: string | null;
}

/** Null where the table has no column that could say it. */
function writes(
  { table, columns, raisesVersion }: OutboxLayout,
  { id, isOurs, isOpen, publishedAt, failedAt }: Names,
  statement: (name: string, text: string) => Statement,
) {
  const set = (values: Partial<Record<Role, string>>) => {
    const raised = raisesVersion ? { version: `o.${quotedName(columns.version ?? '')} + 1` } : {};
    const assignments = Object.entries({ ...values, ...raised }).flatMap(([role, value]) => {
      const name = columns[role as Role];
      return name === null ? [] : [`${quotedName(name)} = ${value}`];
    });
    return `update ${table} as o set ${assignments.join(', ')}`;
  };
  const said = [publishedAt, failedAt].filter((name) => name !== null);
  if (said.length === 0) return { stamp: null, condemn: null, reopen: null };
  const isNews = `(${said.map((name) => `${name} is null`).join(' and ')} or greatest(${said.join(', ')}) < e.at)`;
  return {
    // Guarded by the time of the outcome: whoever is late with an older one changes nothing, and a repeat neither.
    stamp: statement(
      'stamp',
      `${set({
        publishedAt: `case e.status when 'Sent' then e.at end`,
        failedAt: `case e.status when 'Failed' then e.at end`,
        failureReason: 'e.reason',
      })}
from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) as e (id, status, reason, at)
where ${id} = e.id and ${isOurs} and ${isNews}`,
    ),
    condemn:
      failedAt === null
        ? null
        : statement(
            'condemn',
            `${set({ failedAt: 'statement_timestamp()', failureReason: 'e.reason' })}
from unnest($1::uuid[], $2::text[]) as e (id, reason) where ${id} = e.id and ${isOpen}`,
          ),
    reopen:
      failedAt === null
        ? null
        : statement(
            'reopen',
            `${set({ failedAt: 'null', failureReason: 'null' })}
from unnest($1::uuid[], $2::text[]) as e (id, failed_at)
where ${id} = e.id and ${isOurs} and ${failedAt}::text = e.failed_at returning ${id}`,
          ),
  };
}

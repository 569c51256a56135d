// Whether a source can be relayed by this role, and well. Pure: facts in, sentences out. Zero rows must never look like idleness, so a
// role that row-level security shows only a part of the rows is refused.
import { columnNames, columnsOf, REQUIRED_ROLES, ROLES, STAMP_ROLES } from './preset.ts';
import type { RelaySource } from './source.ts';
import type { PolicyFacts, SourceFacts } from './source-facts.ts';

export interface SourceFindings {
  /** It may not start. */
  readonly refused: readonly string[];
  /** It may, and somebody should know. */
  readonly warnings: readonly string[];
}

/** `facts` null: there is no such table. */
export function checkSource(source: RelaySource, facts: SourceFacts | null): SourceFindings {
  if (facts === null) {
    return { refused: [`${source.key}: there is no such table in its database`], warnings: [] };
  }
  const refused = [
    ...missingColumns(source, facts),
    ...missingRights(source, facts),
    ...hiddenRows(source, facts),
  ];
  return { refused, warnings: refused.length === 0 ? slowLooks(source, facts) : [] };
}

function missingColumns({ key, preset }: RelaySource, { columns }: SourceFacts): readonly string[] {
  const missing = REQUIRED_ROLES.map((role) => columnNames(preset)[role]).filter(
    (name) => !columns.has(name),
  );
  if (missing.length > 0) return [`${key}: the ${preset} preset needs the column ${missing.join(', ')}`];
  const idType = columns.get(columnNames(preset).id)?.type;
  return idType === 'uuid'
    ? []
    : [`${key}: id is ${idType ?? 'nothing'}, and it must be uuid: it becomes the NotificationId`];
}

function missingRights({ key, preset, schema }: RelaySource, facts: SourceFacts): readonly string[] {
  if (!facts.canUseSchema)
    return [`${key}: role ${facts.role} may not use schema ${schema}: see deploy/sql/relay-grants.sql`];
  const names = columnNames(preset);
  const lacking = (roles: typeof ROLES | typeof STAMP_ROLES, right: 'canSelect' | 'canUpdate') =>
    roles.map((role) => names[role]).filter((name) => facts.columns.get(name)?.[right] === false);
  const [unread, unwritten] = [lacking(ROLES, 'canSelect'), lacking(STAMP_ROLES, 'canUpdate')];
  return [
    ...(unread.length > 0
      ? [`${key}: role ${facts.role} may not read ${unread.join(', ')}: see deploy/sql/relay-grants.sql`]
      : []),
    ...(unwritten.length > 0
      ? [
          `${key}: role ${facts.role} may not update ${unwritten.join(', ')}: no row could be told its outcome; see deploy/sql/relay-grants.sql`,
        ]
      : []),
  ];
}

function hiddenRows({ key }: RelaySource, { role, isFiltered, policies }: SourceFacts): readonly string[] {
  if (!isFiltered || (seesAll(policies, 'select') && seesAll(policies, 'update'))) return [];
  return [
    `${key}: row-level security shows role ${role} only a part of the rows, and what it does not see would look like nothing to do: give it BYPASSRLS, or a policy for all rows (deploy/sql/relay-grants.sql)`,
  ];
}

function seesAll(policies: readonly PolicyFacts[], command: 'select' | 'update'): boolean {
  const applying = policies.filter((policy) => policy.command === command || policy.command === 'all');
  return (
    applying.some(({ isPermissive, isOpen }) => isPermissive && isOpen) &&
    applying.every(({ isPermissive, isOpen }) => isPermissive || isOpen)
  );
}

function slowLooks({ key, preset }: RelaySource, { columns, indexes }: SourceFacts): readonly string[] {
  const found = columnsOf(preset, new Set(columns.keys()));
  const warnings: string[] = [];
  const leading = found.occurredAt ?? found.id;
  const helps = indexes.some(
    ({ firstColumn, condition }) =>
      firstColumn === leading &&
      condition?.includes('NotificationRequested') === true &&
      (found.publishedAt === null || condition.includes(`${found.publishedAt} IS NULL`)),
  );
  if (!helps) {
    warnings.push(
      `${key}: no index finds the open requests, so every look reads the whole table: see deploy/sql/relay-index.sql`,
    );
  }
  if (
    !indexes.some(
      ({ firstColumn, isUnique, condition }) => firstColumn === found.id && isUnique && condition === null,
    )
  ) {
    warnings.push(`${key}: id has no unique index, so each row is looked for in the whole table`);
  }
  if (found.publishedAt === null || found.failedAt === null) {
    warnings.push(
      `${key}: without published_at and failed_at no row is told its outcome, and old rows are looked at until they are deleted`,
    );
  }
  return warnings;
}

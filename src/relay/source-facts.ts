// What the catalog of a source's database says about its table: columns, rights, row-level security, indexes, the trigger.
import { flag, text, textOrNull } from '../state/cells.ts';
import type { PostgresPool } from '../state/postgres-pool.ts';
import type { RelaySource } from './source.ts';

export interface ColumnFacts {
  readonly type: string;
  readonly isNullable: boolean;
  readonly canSelect: boolean;
  readonly canUpdate: boolean;
}

export interface PolicyFacts {
  readonly isPermissive: boolean;
  readonly command: 'select' | 'update' | 'all';
  /** Its condition lets every row pass. */
  readonly isOpen: boolean;
}

export interface SourceFacts {
  readonly role: string;
  readonly canUseSchema: boolean;
  readonly columns: ReadonlyMap<string, ColumnFacts>;
  /** Row-level security filters what this role sees. */
  readonly isFiltered: boolean;
  /** The policies that apply to this role. */
  readonly policies: readonly PolicyFacts[];
  /** Conditions of partial indexes; null for an index over all rows. */
  readonly indexes: readonly {
    readonly firstColumn: string;
    readonly isUnique: boolean;
    readonly condition: string | null;
  }[];
  /** Inserts are announced (deploy/sql/relay-notify.sql). */
  readonly hasTrigger: boolean;
}

export const NOTIFY_FUNCTION = 'pin_relay_notify';

/** null: there is no such table, or this database does not show it. @throws Fault STATE_UNAVAILABLE (retriable) */
export async function readSourceFacts(pool: PostgresPool, source: RelaySource): Promise<SourceFacts | null> {
  const [table] = await pool.ask(TABLE, [source.schema, source.table]);
  if (table === undefined) return null;
  const [oid, role, canUseSchema, isFiltered, hasTrigger] = table;
  const [columns, policies, indexes] = await Promise.all(
    [COLUMNS, POLICIES, INDEXES].map((statement) => pool.ask(statement, [text(oid)])),
  );
  return {
    role: text(role),
    canUseSchema: flag(canUseSchema),
    isFiltered: flag(isFiltered),
    hasTrigger: flag(hasTrigger),
    columns: new Map(
      (columns ?? []).map(([name, type, isNullable, canSelect, canUpdate]) => [
        text(name),
        {
          type: text(type),
          isNullable: flag(isNullable),
          canSelect: flag(canSelect),
          canUpdate: flag(canUpdate),
        },
      ]),
    ),
    policies: (policies ?? []).map(([isPermissive, command, isOpen]) => ({
      isPermissive: flag(isPermissive),
      command: text(command) as PolicyFacts['command'],
      isOpen: flag(isOpen),
    })),
    indexes: (indexes ?? []).map(([firstColumn, isUnique, condition]) => ({
      firstColumn: text(firstColumn),
      isUnique: flag(isUnique),
      condition: textOrNull(condition),
    })),
  };
}

const TABLE = {
  name: 'pin_relay_table',
  text: `select c.oid, current_user, has_schema_privilege(n.oid, 'usage'), row_security_active(c.oid),
  exists (select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
          where t.tgrelid = c.oid and t.tgenabled in ('O', 'A') and p.proname = '${NOTIFY_FUNCTION}')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p')`,
};

const COLUMNS = {
  name: 'pin_relay_columns',
  text: `select attname, format_type(atttypid, null), not attnotnull,
  has_column_privilege(attrelid, attnum, 'select'), has_column_privilege(attrelid, attnum, 'update')
from pg_attribute where attrelid = $1::oid and attnum > 0 and not attisdropped`,
};

const POLICIES = {
  name: 'pin_relay_policies',
  text: `select polpermissive, case polcmd when 'r' then 'select' when 'w' then 'update' else 'all' end,
  pg_get_expr(polqual, polrelid) = 'true' and coalesce(pg_get_expr(polwithcheck, polrelid), 'true') = 'true'
from pg_policy
where polrelid = $1::oid and polcmd in ('r', 'w', '*')
  and exists (select from unnest(polroles) as role (oid) where role.oid = 0 or pg_has_role(role.oid, 'usage'))`,
};

/** An index that begins with an expression has no first column: it is no help here. */
const INDEXES = {
  name: 'pin_relay_indexes',
  text: `select a.attname, i.indisunique, pg_get_expr(i.indpred, i.indrelid)
from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
where i.indrelid = $1::oid and i.indisvalid`,
};

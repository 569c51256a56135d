// The layouts of outbox tables. A column that is not there reads as null; only id, type and payload must be.
import type { PresetName } from './source.ts';

/** What we know a column by, whatever its table calls it. */
export const ROLES = [
  'id',
  'type',
  'payload',
  'aggregateType',
  'aggregateId',
  'tenantId',
  'orgUnitId',
  'correlationId',
  'causationId',
  'occurredAt',
  'publishedAt',
  'failedAt',
  'failureReason',
  'version',
] as const;
export type Role = (typeof ROLES)[number];

/** The name of each column that exists; null for one that does not. */
export type SourceColumns = Readonly<Record<Role, string | null>>;

export const REQUIRED_ROLES: readonly Role[] = ['id', 'type', 'payload'];
/** What the relay writes, where it exists. `version` is raised only by a role that was given it. */
export const STAMP_ROLES: readonly Role[] = ['publishedAt', 'failedAt', 'failureReason'];

const BACKBONE: Readonly<Record<Role, string>> = {
  id: 'id',
  type: 'event_type',
  payload: 'payload',
  aggregateType: 'aggregate_type',
  aggregateId: 'aggregate_id',
  tenantId: 'company_id',
  orgUnitId: 'org_unit_id',
  correlationId: 'correlation_id',
  causationId: 'causation_id',
  occurredAt: 'occurred_at',
  publishedAt: 'published_at',
  failedAt: 'failed_at',
  failureReason: 'failure_reason',
  version: 'version',
};

const NAMES: Readonly<Record<PresetName, Readonly<Record<Role, string>>>> = {
  backbone: BACKBONE,
  debezium: { ...BACKBONE, type: 'type', aggregateType: 'aggregatetype', aggregateId: 'aggregateid' },
};

export function columnNames(preset: PresetName): Readonly<Record<Role, string>> {
  return NAMES[preset];
}

/** The preset over the columns that the table has. */
export function columnsOf(preset: PresetName, existing: ReadonlySet<string>): SourceColumns {
  const entries = ROLES.map((role) => {
    const name = NAMES[preset][role];
    return [role, existing.has(name) ? name : null] as const;
  });
  return Object.fromEntries(entries) as Record<Role, string | null>;
}

// Which column holds which part of a NotificationState: the one list that inserts and updates are made of.
// Columns that the store itself decides (version, wake_at, stamps, trail) are not here: the statements compute them.
import { holdReasonOf, pauseOfHold } from '../domain/hold.ts';
import type { NotificationState } from '../domain/notification.ts';
import { type ArrayType, type Cell, encodeArray } from './column-array.ts';

export interface Column<Row> {
  readonly name: string;
  readonly type: ArrayType;
  readonly cell: (row: Row) => Cell;
}

export const STATE_COLUMNS: readonly Column<NotificationState>[] = [
  { name: 'id', type: 'uuid', cell: (state) => state.id },
  { name: 'tenant_id', type: 'text', cell: (state) => state.tenantId },
  { name: 'channel', type: 'text', cell: (state) => state.channel },
  { name: 'status', type: 'text', cell: (state) => state.status },
  { name: 'final', type: 'text', cell: (state) => state.final },
  { name: 'cycle', type: 'int4', cell: (state) => state.cycle },
  { name: 'attempts', type: 'int4', cell: (state) => state.attempts },
  { name: 'claim_token', type: 'uuid', cell: (state) => state.claim?.token ?? null },
  { name: 'claim_attempt', type: 'int4', cell: (state) => state.claim?.attempt ?? null },
  { name: 'claim_provider', type: 'text', cell: (state) => state.claim?.providerKey ?? null },
  { name: 'claim_takeovers', type: 'int4', cell: (state) => state.claim?.takeovers ?? null },
  { name: 'unknown_attempt', type: 'int4', cell: (state) => state.unknown?.attempt ?? null },
  { name: 'unknown_provider', type: 'text', cell: (state) => state.unknown?.providerKey ?? null },
  { name: 'unknown_since', type: 'timestamptz', cell: (state) => state.unknown?.sinceMs ?? null },
  { name: 'unknown_resolution', type: 'text', cell: (state) => state.unknown?.resolution ?? null },
  { name: 'unknown_is_resent', type: 'bool', cell: (state) => state.unknown?.isResent ?? null },
  {
    name: 'hold_reason',
    type: 'text',
    cell: ({ hold }) => (hold === null ? null : holdReasonOf(hold)),
  },
  { name: 'hold_pause', type: 'text', cell: ({ hold }) => (hold === null ? null : pauseOfHold(hold)) },
  { name: 'error_code', type: 'text', cell: (state) => state.lastError?.code ?? null },
  { name: 'error_class', type: 'text', cell: (state) => state.lastError?.errorClass ?? null },
  { name: 'error_provider_code', type: 'text', cell: (state) => state.lastError?.providerCode ?? null },
  { name: 'provider_key', type: 'text', cell: (state) => state.providerKey },
  { name: 'provider_message_id', type: 'text', cell: (state) => state.providerMessageId },
  { name: 'evidence', type: 'jsonb', cell: (state) => JSON.stringify(state.evidence) },
  {
    name: 'outcome',
    type: 'jsonb',
    cell: (state) => (state.outcome === null ? null : JSON.stringify(state.outcome)),
  },
  { name: 'outcome_seq', type: 'int4', cell: (state) => state.outcomeSeq },
  { name: 'published_seq', type: 'int4', cell: (state) => state.publishedSeq },
  { name: 'in_app_user', type: 'text', cell: (state) => state.inAppUserId },
  { name: 'in_app_status', type: 'text', cell: (state) => state.inAppStatus },
  { name: 'read_at', type: 'timestamptz', cell: (state) => state.readAtMs },
  { name: 'delivered_at', type: 'timestamptz', cell: (state) => state.deliveredAtMs },
  { name: 'seen_at', type: 'timestamptz', cell: (state) => state.seenAtMs },
  { name: 'complained_at', type: 'timestamptz', cell: (state) => state.complainedAtMs },
  { name: 'unsubscribed_at', type: 'timestamptz', cell: (state) => state.unsubscribedAtMs },
  { name: 'closed_at', type: 'timestamptz', cell: (state) => state.closedAtMs },
  { name: 'cancel_by', type: 'text', cell: (state) => state.cancelBy },
  {
    name: 'command_ids',
    type: 'text',
    cell: ({ commandIds }) => (commandIds.length === 0 ? null : commandIds.join(' ')),
  },
  { name: 'not_before', type: 'timestamptz', cell: (state) => state.notBeforeMs },
  { name: 'not_after', type: 'timestamptz', cell: (state) => state.notAfterMs },
  { name: 'requested_at', type: 'timestamptz', cell: (state) => state.requestedAtMs },
];

const SET_AT_BIRTH: ReadonlySet<string> = new Set([
  'tenant_id',
  'channel',
  'in_app_user',
  'not_before',
  'not_after',
  'requested_at',
]);

/** What a rule may change: an update sends nothing else. */
export function isMutable({ name }: Pick<Column<NotificationState>, 'name'>): boolean {
  return name !== 'id' && !SET_AT_BIRTH.has(name);
}

/** One array parameter for each column. @throws UnstorableValue */
export function encodeColumns<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly Buffer[] {
  // The same list for all columns: a flush has thousands of cells.
  const cells: Cell[] = rows.map(() => null);
  return columns.map(({ type, cell }) => {
    for (const [index, row] of rows.entries()) cells[index] = cell(row);
    return encodeArray(type, cells);
  });
}

/** `$1::uuid[], $2::text[], …` */
export function columnParameters<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
}

export function columnNames<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(({ name }) => name).join(', ');
}

// One row of an outbox table as the relay reads it: text as it stands there, whatever the types of its columns.

export interface OutboxRow {
  readonly id: string;
  /** The JSON text; null when it is longer than MAX_PAYLOAD_BYTES. */
  readonly payload: string | null;
  readonly aggregateType: string | null;
  readonly aggregateId: string | null;
  readonly tenantId: string | null;
  readonly orgUnitId: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  /** Epoch ms; null where the table has no such column or it is empty. */
  readonly occurredAtMs: number | null;
}

export const MAX_PAYLOAD_BYTES = 1_048_576;

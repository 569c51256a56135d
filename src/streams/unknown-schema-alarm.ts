// Many unknown schema ids in a row mean that the registry lost its content or is the wrong one; then records must wait, not die.
// One bad producer among others is no such case: any record with a known schema calms the alarm, and a hold ends by itself, so that a
// stream of bad records alone cannot hold a task for ever. Pure: the caller keeps the state.

export const UNKNOWN_SCHEMAS_IN_A_ROW = 20;
export const UNKNOWN_SCHEMA_HOLD_MS = 300_000;

export interface UnknownSchemaState {
  readonly inARow: number;
  /** Monotonic; null: not holding. */
  readonly heldSinceMs: number | null;
}

export const CALM: UnknownSchemaState = { inARow: 0, heldSinceMs: null };

export interface UnknownSchemaVerdict {
  readonly state: UnknownSchemaState;
  /** `hold`: pause the task, raise an alert, and read the same record again later. */
  readonly verdict: 'proceed' | 'hold';
}

/** To be asked after each decoded record, with whether its schema id was unknown; `nowMs` is monotonic. */
export function unknownSchemaAlarm(
  state: UnknownSchemaState,
  isUnknown: boolean,
  nowMs: number,
): UnknownSchemaVerdict {
  if (!isUnknown) return { state: CALM, verdict: 'proceed' };
  if (state.heldSinceMs !== null) {
    const isOver = nowMs - state.heldSinceMs >= UNKNOWN_SCHEMA_HOLD_MS;
    return isOver
      ? { state: { inARow: 1, heldSinceMs: null }, verdict: 'proceed' }
      : { state, verdict: 'hold' };
  }
  const inARow = state.inARow + 1;
  if (inARow < UNKNOWN_SCHEMAS_IN_A_ROW) return { state: { inARow, heldSinceMs: null }, verdict: 'proceed' };
  return { state: { inARow, heldSinceMs: nowMs }, verdict: 'hold' };
}

import { describe, expect, it } from 'vitest';
import {
  CALM,
  UNKNOWN_SCHEMA_HOLD_MS,
  UNKNOWN_SCHEMAS_IN_A_ROW,
  unknownSchemaAlarm,
} from '../../../src/streams/unknown-schema-alarm.ts';

/** What happened after each record: `u` an unknown schema, `k` a known one; all at `nowMs`. */
function lastOf(records: string, nowMs = 0, from = CALM) {
  let last = { state: from, verdict: 'proceed' as 'proceed' | 'hold' };
  for (const record of records) last = unknownSchemaAlarm(last.state, record === 'u', nowMs);
  return last;
}
const MANY = 'u'.repeat(UNKNOWN_SCHEMAS_IN_A_ROW);

describe('the alarm for unknown schemas', () => {
  it('holds when many come in a row', () => {
    expect(lastOf(MANY.slice(1)).verdict).toBe('proceed');
    expect(lastOf(MANY).verdict).toBe('hold');
  });

  it('is calmed by any record with a known schema', () => {
    expect(lastOf(`${MANY.slice(1)}k${MANY.slice(1)}`).verdict).toBe('proceed');
    expect(lastOf('k', 5, lastOf(MANY).state)).toEqual({ state: CALM, verdict: 'proceed' });
  });

  it('goes on holding for as long as the schemas stay unknown, and then lets some records go', () => {
    const held = lastOf(MANY, 1_000).state;
    expect(lastOf('u', 1_000 + UNKNOWN_SCHEMA_HOLD_MS - 1, held).verdict).toBe('hold');
    const released = lastOf('u', 1_000 + UNKNOWN_SCHEMA_HOLD_MS, held);
    expect(released.verdict).toBe('proceed');
    expect(lastOf(MANY.slice(1), 1_000 + UNKNOWN_SCHEMA_HOLD_MS, released.state).verdict).toBe('hold');
  });
});

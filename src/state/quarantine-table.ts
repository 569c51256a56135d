// What could not be applied, kept with its bytes. An input is kept once, however often it is read again.
import type { Value } from './asking.ts';
import { type RefusedRow, ROW_REFUSED } from './flush.ts';
import type { Statement } from './statement.ts';
import type { QuarantinedInput } from './store.ts';

export function quarantineStatement(schema: string): Statement {
  return {
    name: 'pin_quarantine',
    text: `insert into ${schema}.quarantine
  (origin, reason, detail, notification_id, topic, partition, "offset", key, value)
values ($1, $2, $3, $4::uuid, $5, $6::int4, $7::bigint, $8::bytea, $9::bytea)
on conflict (origin) do nothing`,
  };
}

export function refusedParameters({ id, reason, origin, value }: RefusedRow): readonly Value[] {
  return [origin, ROW_REFUSED, reason, id, null, null, null, null, value];
}

export function inputParameters(input: QuarantinedInput): readonly Value[] {
  const { reason, detail, topic, partition, offset, key, value } = input;
  const origin = `${topic}/${partition}/${offset}`;
  return [origin, reason, detail, null, topic, partition, offset, key, value];
}

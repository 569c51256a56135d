// What analytics reads: the bytes of dispatched.v1 against the rows. Complete, unambiguous, in order, without a secret.
import type { LogRecord } from '../../broker/log.ts';
import type { Stage } from '../stage.ts';
import { SECRET_MARK } from '../workload/requests.ts';
import type { Named } from './invariants.ts';

export const outcomeInvariants: Named = {
  'S3 dispatched is complete and unambiguous': completeAndUnambiguous,
  'S16 no secret leaves': noSecretLeaves,
};

function completeAndUnambiguous({ broker, topics, database }: Stage): string | null {
  const firsts = new Map<string, LogRecord[]>();
  for (const record of broker.partitions.all(topics.dispatched)) {
    const key = textOf(record.key);
    const known = firsts.get(key) ?? [];
    firsts.set(key, known);
    const same = known.find((first) => textOf(first.headers['ce_id']) === textOf(record.headers['ce_id']));
    if (same === undefined) known.push(record);
    else if (!isSame(same, record)) return `${key}: two outcomes share an id and differ`;
  }
  for (const { row } of database.rows.values()) {
    const told = firsts.get(row.id)?.length ?? 0;
    if (told !== row.outcomeSeq) return `${row.id}: ${told} outcomes on the topic, ${row.outcomeSeq} decided`;
  }
  for (const id of firsts.keys())
    if (![...database.rows.keys()].some((known) => known === id)) return `${id}: an outcome without a row`;
  return null;
}

function isSame(a: LogRecord, b: LogRecord): boolean {
  return (
    textOf(a.value) === textOf(b.value) &&
    JSON.stringify(Object.entries(a.headers).map(([name, bytes]) => [name, textOf(bytes)])) ===
      JSON.stringify(Object.entries(b.headers).map(([name, bytes]) => [name, textOf(bytes)]))
  );
}

function noSecretLeaves({ broker, topics, database }: Stage): string | null {
  for (const { value, headers } of broker.partitions.all(topics.dispatched))
    if ([value, ...Object.values(headers)].some((bytes) => textOf(bytes).includes(SECRET_MARK)))
      return 'an outcome holds a recipient or a text';
  for (const { row } of database.rows.values())
    if (`${row.trail} ${JSON.stringify(row.lastError)}`.includes(SECRET_MARK))
      return `${row.id}: its row holds a recipient or a text`;
  return null;
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes == null
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

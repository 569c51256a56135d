// What analytics reads: the bytes of dispatched.v1 against the rows. Complete, unambiguous, in order, without a secret.
import type { LogRecord } from '../../broker/log.ts';
import { SECRET_MARK } from '../secret-mark.ts';
import type { Stage } from '../stage.ts';
import type { Named } from './at-rest.ts';
import { idOf, textOf } from './record-text.ts';

export const outcomeInvariants: Named = {
  'S3 dispatched is complete and unambiguous': completeAndUnambiguous,
  'S16 no secret leaves': noSecretLeaves,
};

function completeAndUnambiguous(stage: Stage): string | null {
  const outcomes = new Map<string, LogRecord[]>();
  for (const record of stage.broker.partitions.all(stage.topics.dispatched)) {
    const key = textOf(record.key);
    const known = outcomes.get(key) ?? [];
    outcomes.set(key, known);
    const same = known.find((first) => idOf(first) === idOf(record));
    if (same === undefined) known.push(record);
    else if (!isSame(same, record)) return `${key}: two outcomes share an id and differ`;
  }
  return incomplete(stage, outcomes);
}

function incomplete({ database }: Stage, outcomes: ReadonlyMap<string, readonly LogRecord[]>): string | null {
  for (const { row } of database.rows.values()) {
    const told = outcomes.get(row.id)?.length ?? 0;
    if (told !== row.outcomeSeq) return `${row.id}: ${told} outcomes on the topic, ${row.outcomeSeq} decided`;
  }
  const ids = new Set<string>(database.rows.keys());
  const stray = [...outcomes.keys()].find((id) => !ids.has(id));
  return stray === undefined ? null : `${stray}: an outcome without a row`;
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

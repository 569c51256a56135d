// What must be true when everything has come to rest, checked without the product's own audit: the vendor's ledger in memory, the bytes of
// the topic, the table by plain SQL. And, at any time: no committed offset is ahead of the rows.
import type { LogRecord } from '../../src/broker/log.ts';
import { decodeDispatched } from '../../src/streams/dispatched.ts';
import type { RealWorld } from '../support/real-service.ts';
import type { Observer } from './observer.ts';

const MAX_FINDINGS = 20;
const IDS_IN_A_QUESTION = 5_000;

/** At most MAX_FINDINGS sentences; every id must be Sent with one message and one outcome. */
export async function findingsOn(world: RealWorld, ids: readonly string[]): Promise<readonly string[]> {
  const messages = countBy(world.vendor.ledger.messages.map(({ reference }) => reference));
  const told = byKey(world.seen.of(world.topics.dispatched));
  const rows = await sentRows(world, ids);
  const known = new Set(ids);
  const findings = [...told.keys()].filter((id) => !known.has(id)).map((id) => `${id}: nobody asked for it`);
  for (const id of ids) {
    if (findings.length >= MAX_FINDINGS) break;
    const count = messages.get(id) ?? 0;
    if (count !== 1) findings.push(`${id}: ${count} messages`);
    if (!rows.has(id)) findings.push(`${id}: its row is not Sent once`);
    findings.push(...(await outcomeFindings(world, id, told.get(id) ?? [])));
  }
  return findings;
}

async function outcomeFindings(
  world: RealWorld,
  id: string,
  records: readonly LogRecord[],
): Promise<readonly string[]> {
  const values = new Set(records.map(({ value }) => Buffer.from(value ?? []).toString('hex')));
  if (values.size !== 1) return [`${id}: ${values.size} different outcomes`];
  const [first] = records;
  const answer = first === undefined ? null : await decodeDispatched(world.codec, first);
  const ended = answer?.kind === 'decoded' ? `${answer.value.status} ${answer.value.reason}` : 'unreadable';
  return ended === 'Sent accepted' ? [] : [`${id}: ended ${ended}`];
}

async function sentRows(world: RealWorld, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let from = 0; from < ids.length; from += IDS_IN_A_QUESTION) {
    const rows = await world.query(
      `select id from notifications where id = any ($1::uuid[])
       and status = 'Sent' and final = 'accepted' and outcome_seq = 1 and published_seq = 1`,
      [ids.slice(from, from + IDS_IN_A_QUESTION)],
    );
    for (const { id } of rows) found.add(String(id));
  }
  return found;
}

export interface OffsetCheck {
  /** Requests below the committed offsets, not checked before, that have no row. */
  aheadOfRows(): Promise<readonly string[]>;
}

export function offsetCheck(world: RealWorld, observer: Observer): OffsetCheck {
  const checked = new Map<number, number>();
  return {
    async aheadOfRows() {
      const admin = await world.servers.log.admin();
      const lags = await admin
        .lag(world.topics.groupId, [world.topics.requested])
        .finally(() => admin.close());
      const missing: string[] = [];
      for (const { partition, committed } of lags) {
        const ids = observer.requestsBetween(partition, checked.get(partition) ?? 0, committed ?? 0);
        checked.set(partition, committed ?? 0);
        missing.push(...(await withoutRow(world, ids)));
      }
      return missing;
    },
  };
}

async function withoutRow(world: RealWorld, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await world.query(
    'select asked.id from unnest($1::uuid[]) as asked (id) where not exists (select 1 from notifications n where n.id = asked.id)',
    [ids],
  );
  return rows.map(({ id }) => `${String(id)}: committed, and no row`);
}

function byKey(records: readonly LogRecord[]): ReadonlyMap<string, readonly LogRecord[]> {
  const found = new Map<string, LogRecord[]>();
  for (const record of records) {
    const key = Buffer.from(record.key ?? []).toString();
    const known = found.get(key);
    if (known === undefined) found.set(key, [record]);
    else known.push(record);
  }
  return found;
}

function countBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

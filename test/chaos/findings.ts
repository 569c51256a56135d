// What must be true when everything has come to rest, checked without the product's own audit: the vendor's ledger in memory, the bytes of
// the topic, the table by plain SQL. And, at any time: no committed offset is ahead of the rows.
import type { LogRecord } from '../../src/broker/log.ts';
import { decodeDispatched } from '../../src/streams/dispatched.ts';
import type { RealWorld } from '../support/real-service.ts';
import { endingsOf, fateOf } from './fates.ts';
import type { Observer } from './observer.ts';

const MAX_FINDINGS = 20;
const IDS_IN_A_QUESTION = 5_000;

/** At most MAX_FINDINGS sentences; every id must have ended in a way that its fate allows, with the messages and outcomes of that way. */
export async function findingsOn(world: RealWorld, ids: readonly string[]): Promise<readonly string[]> {
  const messages = countBy(world.vendor.ledger.messages.map(({ reference }) => reference));
  const told = byKey(world.seen.of(world.topics.dispatched));
  const rows = await rowsOf(world, ids);
  const known = new Set(ids);
  const findings = [...told.keys()].filter((id) => !known.has(id)).map((id) => `${id}: nobody asked for it`);
  for (const id of ids) {
    if (findings.length >= MAX_FINDINGS) break;
    findings.push(
      ...(await findingsAbout(world, id, messages.get(id) ?? 0, told.get(id) ?? [], rows.get(id))),
    );
  }
  return findings;
}

interface FinalRow {
  readonly status: string;
  readonly final: string | null;
  readonly outcomes: number;
  readonly published: number;
}

async function findingsAbout(
  world: RealWorld,
  id: string,
  messages: number,
  records: readonly LogRecord[],
  row: FinalRow | undefined,
): Promise<readonly string[]> {
  const fate = fateOf(id);
  const ending = endingsOf(fate).find(
    ({ status, reasons }) => status === row?.status && reasons.includes(row.final ?? ''),
  );
  if (row === undefined || ending === undefined)
    return [`${id} (${fate}): its row says ${JSON.stringify(row)}`];
  const last = await lastOutcome(world, records);
  return [
    ...(messages === ending.messages
      ? []
      : [`${id} (${fate}): ${messages} messages, not ${ending.messages}`]),
    ...(ending.outcomes.includes(row.outcomes) ? [] : [`${id} (${fate}): ${row.outcomes} outcomes`]),
    ...(row.published === row.outcomes ? [] : [`${id}: outcome ${row.outcomes} is not published`]),
    ...(last === `${row.outcomes} ${row.status} ${row.final}`
      ? []
      : [`${id} (${fate}): the topic says ${last}`]),
  ];
}

/** `seq status reason` of the highest outcome on the topic; says what is wrong with the records otherwise. */
async function lastOutcome(world: RealWorld, records: readonly LogRecord[]): Promise<string> {
  const byValue = new Map(records.map((record) => [Buffer.from(record.value ?? []).toString('hex'), record]));
  let highest = 0;
  let words = 'nothing';
  for (const record of byValue.values()) {
    const answer = await decodeDispatched(world.codec, record);
    if (answer.kind !== 'decoded') return 'something unreadable';
    const { outcomeSeq, status, reason } = answer.value;
    if (outcomeSeq === highest) return `two different outcomes ${outcomeSeq}`;
    if (outcomeSeq > highest) words = `${outcomeSeq} ${status} ${reason}`;
    highest = Math.max(highest, outcomeSeq);
  }
  return highest === byValue.size ? words : `${byValue.size} outcomes up to ${highest}`;
}

async function rowsOf(world: RealWorld, ids: readonly string[]): Promise<ReadonlyMap<string, FinalRow>> {
  const found = new Map<string, FinalRow>();
  for (let from = 0; from < ids.length; from += IDS_IN_A_QUESTION) {
    const rows = await world.query(
      `select id, status, final, outcome_seq as outcomes, published_seq as published from notifications
       where id = any ($1::uuid[])`,
      [ids.slice(from, from + IDS_IN_A_QUESTION)],
    );
    for (const { id, ...row } of rows) found.set(String(id), row as unknown as FinalRow);
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

// The audit's sources, read into its book: requests with their dead letters and quarantine, rows, outcomes, a ledger.
import type { Log, LogRecord, PartitionLag } from '../../broker/log.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import type { AuditBook } from '../../ops/audit-book.ts';
import { type Remark, violationOf } from '../../ops/audit-facts.ts';
import { Fault } from '../../runtime/fault.ts';
import type { NotificationReader } from '../../state/notification-reader.ts';
import type { QuarantineOrigin } from '../../state/row-pages.ts';
import type { Codec } from '../../streams/codec.ts';
import type { Topics } from '../../streams/topics.ts';
import { withOpen } from '../cli.ts';
import type { Environment } from '../environment.ts';
import { readTopic } from '../read-topic.ts';
import { type AuditPart, isInPart } from './audit-part.ts';
import { readLedgerMessages } from './read-ledger.ts';
import { decoding, digestOf, keyOf, originOf, readOutcome, readRequest } from './read-records.ts';

export interface AuditDeps {
  readonly environment: Environment;
  readonly log: Log;
  readonly reader: NotificationReader;
  readonly codec: Codec;
  readonly topics: Topics;
}

export interface AuditOrder {
  readonly isQuiescent: boolean;
  readonly lateAfterMs: number;
  readonly ledgerFile: string | null;
  readonly part: AuditPart;
  readonly replacingProviders: ReadonlySet<string>;
}

export interface Audit extends AuditDeps {
  readonly order: AuditOrder;
  readonly book: AuditBook;
  /** What no notification stands for. */
  readonly remarks: Remark[];
}

/** A log that is silent for this long has nothing more. */
export const QUIET_LIMIT_MS = 10_000;
/** Marks of transactions, at the ends of all partitions. */
const MAX_UNREAD = 100;

/** Dead letters and quarantine first: a request that is in neither and has no row has no trace. */
export async function readRequests(audit: Audit) {
  const { environment, log, topics, codec, book, order } = audit;
  const { groupId, requested } = topics;
  const lags = await withOpen(log.admin(), (admin) => admin.lag(groupId, [requested]));
  const committed = new Map(lags.map((lag) => [lag.partition, lag.committed ?? lag.start]));
  const done = new Set([...(await readDeadLetters(audit)), ...(await readQuarantine(audit))]);
  const work = decoding();
  const oldest = oldestTime(lags);
  const unread = await readTopic(
    environment,
    log,
    requested,
    (record) => {
      oldest.see(record);
      const { partition, offset } = record;
      if (done.has(`${partition}/${offset}`)) return true;
      work.start(async () => {
        const request = await readRequest(codec, record);
        if (request === null) return;
        const id = request.id ?? `${requested}/${partition}/${offset}`;
        const isCommitted = offset < (committed.get(partition) ?? 0);
        if (isInPart(id, order.part))
          book.request(id, { partition, offset, payloadHash: request.payloadHash, isCommitted });
      });
      return true;
    },
    QUIET_LIMIT_MS,
  );
  await work.done();
  noteEnd(audit, requested, unread);
  return { committed, requestsSinceMs: oldest.atMs() };
}

/** Origins of dead letters, `partition/offset`. */
async function readDeadLetters(audit: Audit): Promise<ReadonlySet<string>> {
  const { environment, log, topics, codec, book, order } = audit;
  const origins = new Set<string>();
  const work = decoding();
  const take = (record: LogRecord) => {
    const origin = originOf(record, topics.requested);
    const place = `${record.partition}/${record.offset}`;
    if (origin === null)
      audit.remarks.push(violationOf('conservation', `${topics.dlq}/${place}`, 'an origin', 'none'));
    else origins.add(origin);
    work.start(async () => {
      const id = keyOf(record);
      const request = await readRequest(codec, record);
      if (id === null || request === null || request.payloadHash === null || !isInPart(id, order.part))
        return;
      book.deadLetter(id, { place, payloadHash: request.payloadHash });
    });
    return true;
  };
  noteEnd(audit, topics.dlq, await readTopic(environment, log, topics.dlq, take, QUIET_LIMIT_MS));
  await work.done();
  return origins;
}

/** Origins of quarantined requests, `partition/offset`. */
async function readQuarantine(audit: Audit): Promise<ReadonlySet<string>> {
  const origins = new Set<string>();
  for (let after = 0; ; ) {
    const entries = await audit.reader.quarantineAfter(after);
    for (const entry of entries) takeEntry(audit, entry, origins);
    const last = entries.at(-1);
    if (last === undefined) return origins;
    after = last.entry;
  }
}

function takeEntry({ book, topics, order }: Audit, entry: QuarantineOrigin, origins: Set<string>): void {
  const { topic, partition, offset, notificationId } = entry;
  if (notificationId !== null && isInPart(notificationId, order.part)) book.quarantined(notificationId);
  if (topic === topics.requested) origins.add(`${partition ?? ''}/${offset ?? ''}`);
}

/** All rows, in pages. */
export async function readRows({ reader, book, order }: Audit): Promise<void> {
  for (let after: NotificationId | null = null; ; ) {
    const rows = await reader.rowsAfter(after);
    for (const fact of rows) if (isInPart(fact.row.id, order.part)) book.row(fact);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.row.id;
  }
}

/** Time of the oldest outcome where older ones are gone; null: all are there. */
export async function readOutcomes(audit: Audit): Promise<number | null> {
  const { environment, log, topics, codec, book, order } = audit;
  const { groupId, dispatched } = topics;
  const lags = await withOpen(log.admin(), (admin) => admin.lag(groupId, [dispatched]));
  const oldest = oldestTime(lags);
  const work = decoding();
  const take = (record: LogRecord) => {
    oldest.see(record);
    work.start(async () => {
      const id = keyOf(record);
      const said = await readOutcome(codec, record);
      const place = `${dispatched}/${record.partition}/${record.offset}`;
      if (id === null || said === null)
        audit.remarks.push(violationOf('S3', id ?? place, 'an outcome that can be read', `${place} cannot`));
      else if (isInPart(id, order.part)) book.outcome(id, said, digestOf(record));
    });
    return true;
  };
  noteEnd(audit, dispatched, await readTopic(environment, log, dispatched, take, QUIET_LIMIT_MS));
  await work.done();
  return oldest.atMs();
}

export async function readLedger({ order, book }: Audit): Promise<void> {
  if (order.ledgerFile === null) return;
  await readLedgerMessages(order.ledgerFile, (reference, cycle) => {
    if (isInPart(reference, order.part)) book.message(reference, cycle);
  });
}

/** Looks for the oldest record of partitions that have lost some. */
function oldestTime(lags: readonly PartitionLag[]) {
  const trimmed = new Set(lags.filter(({ start }) => start > 0).map(({ partition }) => partition));
  let atMs: number | null = null;
  const newest = new Map<number, number>();
  return {
    see({ partition, timestampMs }: LogRecord) {
      if (!trimmed.has(partition) || newest.has(partition)) return;
      newest.set(partition, timestampMs);
      atMs = Math.max(atMs ?? 0, timestampMs);
    },
    /** null: nothing is gone. Infinity: everything is. */
    atMs: () => (newest.size < trimmed.size ? Number.POSITIVE_INFINITY : atMs),
  };
}

/** Nothing can be said about a topic of which more than a few marks at the ends were not read. @throws Fault LOG_UNAVAILABLE */
export function noteEnd({ remarks }: Audit, topic: string, unread: number): void {
  if (unread > MAX_UNREAD)
    throw new Fault('LOG_UNAVAILABLE', `${unread} records of ${topic} did not arrive`, { retriable: true });
  if (unread > 0)
    remarks.push({ kind: 'unjudged', why: `the last ${unread} offsets of ${topic} hold no record` });
}

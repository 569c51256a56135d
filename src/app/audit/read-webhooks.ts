// The audit's webhooks: committed offsets first, then what is parked or in quarantine, then the topic. A webhook below the committed
// offset that is in neither must be in its row, which is read later.
import type { LogRecord } from '../../broker/log.ts';
import { violationOf } from '../../ops/audit-facts.ts';
import { withOpen } from '../cli.ts';
import { readTopic } from '../read-topic.ts';
import { isInPart } from './audit-part.ts';
import { decoding, keyOf, readWebhook } from './read-records.ts';
import { type Audit, noteEnd, QUIET_LIMIT_MS } from './read-sources.ts';

export async function readWebhooks(audit: Audit): Promise<void> {
  const { environment, log, topics } = audit;
  const topic = topics.webhooks;
  const lags = await withOpen(log.admin(), (admin) => admin.lag(topics.groupId, [topic]));
  const committed = new Map(lags.map((lag) => [lag.partition, lag.committed ?? lag.start]));
  const kept = { parked: await readParked(audit), ...(await readQuarantined(audit)) };
  const work = decoding();
  const take = (record: LogRecord) => {
    const isCommitted = record.offset < (committed.get(record.partition) ?? 0);
    work.start(() => note(audit, kept, record, isCommitted));
    return true;
  };
  noteEnd(audit, topic, await readTopic(environment, log, topic, take, QUIET_LIMIT_MS));
  await work.done();
}

interface Kept {
  readonly parked: ReadonlySet<string>;
  /** Of webhooks that nobody claimed in time. */
  readonly webhookIds: ReadonlySet<string>;
  /** Of webhooks that could not be applied, `partition/offset`. */
  readonly places: ReadonlySet<string>;
}

async function note(audit: Audit, kept: Kept, record: LogRecord, isCommitted: boolean): Promise<void> {
  const { codec, topics, book, order, remarks } = audit;
  const place = `${record.partition}/${record.offset}`;
  const isDead = kept.places.has(place);
  const webhook = await readWebhook(codec, record);
  const id = webhook?.notificationId ?? keyOf(record) ?? `${topics.webhooks}/${place}`;
  if (!isInPart(id, order.part)) return;
  if (webhook !== null) {
    const isKept = isDead || kept.parked.has(webhook.eventId) || kept.webhookIds.has(webhook.eventId);
    book.webhook(id, { webhook, place, isCommitted, isKept });
  } else if (!isDead && (isCommitted || order.isQuiescent)) {
    remarks.push(violationOf('S10', id, `${place}, which cannot be read, in quarantine`, 'it is not'));
  }
}

async function readParked({ reader }: Audit): Promise<ReadonlySet<string>> {
  const parked = new Set<string>();
  for (let after: string | null = null; ; ) {
    const ids = await reader.parkedAfter(after);
    for (const id of ids) parked.add(id);
    after = ids.at(-1) ?? null;
    if (after === null) return parked;
  }
}

async function readQuarantined({ reader, topics }: Audit): Promise<Omit<Kept, 'parked'>> {
  const places = new Set<string>();
  const webhookIds = new Set<string>();
  for (let after = 0; ; ) {
    const entries = await reader.quarantineAfter(after);
    for (const { webhookId, topic, partition, offset } of entries) {
      if (webhookId !== null) webhookIds.add(webhookId);
      if (topic === topics.webhooks) places.add(`${partition}/${offset}`);
    }
    const last = entries.at(-1);
    if (last === undefined) return { places, webhookIds };
    after = last.entry;
  }
}

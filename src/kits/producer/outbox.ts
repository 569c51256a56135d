// Asks inside the caller's own Postgres transaction: one row of its outbox table, which the relay turns into requests once the transaction
// is committed. Rolled back, nothing was asked for. It opens no connection and begins no transaction.
import type { NotificationRequest } from '../../domain/request.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { NewNotification } from './new-notification.ts';
import { newRequests } from './new-requests.ts';

/** A client of the package `pg`, inside a transaction; anything with the same `query` will do. */
export interface TransactionClient {
  query(text: string, values: readonly unknown[]): Promise<unknown>;
}

export interface OutboxOptions {
  /** `outbox_events` by default; may be `schema.table`. */
  readonly table?: string;
}

export interface AskedInTransaction {
  /** The id of the row: the notification's, or of many recipients the parent's. */
  readonly notificationId: string;
  /** One for each recipient. */
  readonly notificationIds: readonly string[];
}

/**
 * Writes the row. The same id again changes nothing.
 * @throws RequestRefused before anything was written; what `query` throws
 */
export async function requestNotification(
  client: TransactionClient,
  asked: NewNotification,
  options: OutboxOptions = {},
): Promise<AskedInTransaction> {
  const { sourceId, source, recipients, requests } = newRequests(asked);
  const { tenantId, orgUnitId, aggregateType, aggregateId, correlationId, causationId } = source;
  await client.query(insertStatement(options.table ?? 'outbox_events'), [
    sourceId,
    'NotificationRequested',
    aggregateType ?? 'notification',
    aggregateId ?? sourceId,
    JSON.stringify(payloadOf(source, recipients)),
    tenantId,
    orgUnitId,
    correlationId,
    causationId,
    isoTime(source.requestedAtMs),
  ]);
  return { notificationId: sourceId, notificationIds: requests.map(({ notificationId }) => notificationId) };
}

function insertStatement(table: string): string {
  const name = table
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
  return `insert into ${name} (id, event_type, aggregate_type, aggregate_id, payload, company_id, org_unit_id,
  correlation_id, causation_id, occurred_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (id) do nothing`;
}

/** What has no column of its own; absent where it says nothing. */
function payloadOf(source: Omit<NotificationRequest, 'recipient'>, recipients: readonly string[]): object {
  const { channel, template, body, data, inApp, notBeforeMs, notAfterMs, priority, trigger, attributes } =
    source;
  const [only] = recipients;
  const said = {
    channel,
    to: recipients.length === 1 ? only : recipients,
    template,
    body,
    data,
    inApp,
    notBefore: notBeforeMs,
    notAfter: notAfterMs,
    priority,
    trigger,
    attributes,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
}

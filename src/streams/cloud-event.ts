// CloudEvents 1.0 attributes and the W3C trace as record headers: what every record of ours says about itself beside its value.
import type { Headers, LogRecord } from '../broker/log.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { isoTime } from '../runtime/clock.ts';

export type CloudEventType =
  | 'NotificationRequested'
  | 'ProviderWebhook'
  | 'NotificationCommand'
  | 'RetryDue'
  | 'NotificationDispatchedEvent';

export interface CloudEvent {
  readonly type: CloudEventType;
  /** Unique per fact; the same when the fact is produced again. */
  readonly id: string;
  readonly timeMs: number;
  readonly subject: NotificationId;
  readonly tenantId: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  readonly traceparent: string | null;
}

const SPEC_VERSION = Buffer.from('1.0');
const SOURCE = Buffer.from('/pin/notifications');

export function cloudEventHeaders(event: CloudEvent): Headers {
  const optional: readonly (readonly [string, string | null])[] = [
    ['ce_tenantid', event.tenantId],
    ['ce_correlationid', event.correlationId],
    ['ce_causationid', event.causationId],
    ['traceparent', event.traceparent],
  ];
  const headers: Record<string, Uint8Array> = {
    ce_specversion: SPEC_VERSION,
    ce_id: Buffer.from(event.id),
    ce_source: SOURCE,
    ce_type: Buffer.from(event.type),
    ce_time: Buffer.from(isoTime(event.timeMs)),
    ce_subject: Buffer.from(event.subject),
  };
  for (const [name, value] of optional) if (value !== null) headers[name] = Buffer.from(value);
  return headers;
}

/** True for a record that says it is something else than `type`; one that says nothing is taken for what its topic carries. */
export function isOfOtherType(record: LogRecord, type: CloudEventType): boolean {
  const said = textHeader(record, 'ce_type');
  return said !== '' && said !== type;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The record's traceparent; null when there is none or it has not the shape of one. */
export function traceparentOf(record: LogRecord): string | null {
  return traceparentOfText(textHeader(record, 'traceparent'));
}

/** `text` where it has the shape of a traceparent, else null. */
export function traceparentOfText(text: string): string | null {
  return TRACEPARENT.test(text) ? text : null;
}

/** Longer than any header value that is looked at here; what is beyond it cannot make a match. */
const MAX_HEADER_BYTES = 64;

function textHeader(record: LogRecord, name: string): string {
  const bytes = record.headers[name];
  return bytes === undefined ? '' : Buffer.from(bytes.subarray(0, MAX_HEADER_BYTES)).toString('latin1');
}

// dispatched.v1: the final outcome as one readable, replayable fact.
import type { OutgoingRecord } from '../broker/log.ts';
import type { Notification } from '../domain/notification.ts';
import type { Content } from '../domain/request.ts';
import { invariant } from '../runtime/fault.ts';
import type { Codec } from './codec.ts';
import type { Topics } from './topics.ts';

/** Pure, given the codec: the same row and content give the same key, value and headers. The row must have an outcome. */
export function dispatchedRecord(
  _topics: Topics,
  _codec: Codec,
  _row: Notification,
  _content: Content,
): OutgoingRecord {
  invariant(false, 'dispatchedRecord is not written yet');
}

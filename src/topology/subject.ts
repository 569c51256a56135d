// One notification on its walk: either not yet in the table, or as last committed. Committing a change is the only way forward, and
// the answer is always the committed row or "somebody else wrote": then it is loaded and decided again.
import type { Change } from '../domain/change.ts';
import type { Notification, NotificationState } from '../domain/notification.ts';
import { eventsBetween } from '../domain/notification-event.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Content } from '../domain/request.ts';
import type { InsertAnswer, MessageRef, Stored, WriteAnswer } from '../state/store.ts';
import { causeFacts } from './cause-facts.ts';
import type { Engine } from './engine.ts';
import { joinParked, unnamedMessages } from './message-join.ts';
import type { Patience } from './outages.ts';

export type Subject =
  | {
      readonly kind: 'new';
      readonly state: NotificationState;
      readonly content: Content;
      /** The version of the row whose place it takes; null: nothing is there. */
      readonly over: number | null;
    }
  | { readonly kind: 'stored'; readonly row: Notification; readonly content: Content | null };

export type Committed =
  | { readonly kind: 'committed'; readonly row: Notification }
  /** Another version is in the table. */
  | { readonly kind: 'lost-race' }
  /** Postgres refused this row for itself; it is in quarantine and its record is done. */
  | { readonly kind: 'quarantined' };

export function stateOf(subject: Subject): NotificationState {
  return subject.kind === 'new' ? subject.state : subject.row;
}

export async function commitChange(engine: Engine, subject: Subject, change: Change): Promise<Committed> {
  const writeToken = engine.ids.uuid();
  const messages = unnamedMessages(engine, stateOf(subject), change);
  const answer = await write(engine, subject, change, writeToken, messages);
  switch (answer.kind) {
    case 'written':
      if (subject.kind === 'new') countRequest(engine, answer.row, subject.content);
      for (const event of eventsBetween(stateOf(subject), answer.row)) engine.feed.publish(event);
      countFailure(engine, stateOf(subject), answer.row);
      await joinParked(engine, answer.row.id, messages);
      return { kind: 'committed', row: answer.row };
    case 'exists':
    case 'stale':
      engine.metrics.increment('pin_state_conflicts_total', {
        operation: subject.kind === 'new' ? 'insert' : 'write',
      });
      return { kind: 'lost-race' };
    default:
      engine.metrics.increment('pin_quarantined_total', { reason: 'row-refused' });
      engine.logger.error('notification.quarantined', {
        notification_id: stateOf(subject).id,
        reason: answer.reason,
      });
      return { kind: 'quarantined' };
  }
}

function write(
  { store }: Engine,
  subject: Subject,
  change: Change,
  writeToken: string,
  messages: readonly MessageRef[],
): Promise<InsertAnswer | WriteAnswer> {
  const named = messages.length === 0 ? {} : { messages };
  if (subject.kind === 'stored')
    return store.write({ expectedVersion: subject.row.version, change, writeToken, ...named });
  const { content, over } = subject;
  return over === null
    ? store.insert({ change, content, writeToken })
    : store.write({ expectedVersion: over, change, content, writeToken });
}

function countRequest(engine: Engine, { id, channel, version }: Notification, content: Content): void {
  engine.metrics.increment('pin_notifications_requested_total', { channel });
  const facts = { notification_id: id, channel, version, ...causeFacts(content) };
  engine.logger.debug('notification.requested', facts);
}

/** Once for each end: whoever committed the row counts it, however often its outcome is published. */
function countFailure(engine: Engine, before: NotificationState, row: Notification): void {
  const { channel, outcome, outcomeSeq } = row;
  if (outcomeSeq === before.outcomeSeq || outcome?.status !== 'Failed') return;
  engine.metrics.increment('pin_terminal_failures_total', { channel, code: outcome.error?.code ?? 'none' });
}

/** The row as the table has it now; null when there is none. Rides over outages. */
export async function loadStored(
  engine: Engine,
  id: NotificationId,
  patience: Patience = 'until-stop',
): Promise<Stored | null> {
  const ask = () => engine.storeClock.reading(() => engine.store.load([id]));
  const loaded = await engine.outages.riding('postgres', ask, patience);
  const stored = loaded.found.get(id);
  if (stored === undefined) return null;
  const row = engine.published.applyTo(stored.row);
  return row === stored.row ? stored : { ...stored, row };
}

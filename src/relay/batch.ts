// One batch of claimed rows: read, mapped, produced, acknowledged, written down. A row that can never be a request is failed with its
// reason and holds up nobody; a row whose record was not acknowledged is given back. Dying anywhere in between repeats records at worst:
// the same row asks for the same notification with the same content, and the processor knows it by that.
import type { LogProducer, OutgoingRecord } from '../broker/log.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { Clock } from '../runtime/clock.ts';
import { isFault } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Codec } from '../streams/codec.ts';
import { encodeRequest } from '../streams/requested.ts';
import type { Topics } from '../streams/topics.ts';
import type { DeadRow, Outbox } from './outbox.ts';
import type { Child, Claimed, Outcome, RelayProgress } from './progress.ts';
import { type RowAnswer, requestsOfRow } from './requests-of-row.ts';
import { type RowRecords, sendRows } from './send-rows.ts';

export interface BatchDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly progress: RelayProgress;
  readonly producer: LogProducer;
  readonly topics: Topics;
  readonly codec: Codec;
}

/** After the log did not take it; long enough not to turn in circles. */
const GIVE_BACK_MS = 1_000;

/** @throws Fault when a server did not answer; what was not finished is taken over when its claim runs out */
export async function relayBatch(
  deps: BatchDeps,
  outbox: Outbox,
  claimed: readonly Claimed[],
  checkAfterMs: number,
): Promise<void> {
  const startedMs = deps.clock.monotonicMs();
  const source = outbox.source.key;
  const { sendable, dead } = await prepared(deps, outbox, claimed);
  const sent = await sendRows(deps.producer, sendable);
  if (sent.acknowledged.length > 0) {
    await deps.progress.relayed(source, sent.acknowledged, checkAfterMs);
    deps.logger.info('relay.published', {
      source,
      rows: sent.acknowledged.length,
      records: sent.records,
      duration_ms: Math.round(deps.clock.monotonicMs() - startedMs),
    });
    deps.metrics.increment('pin_relay_rows_total', { result: 'relayed' }, sent.acknowledged.length);
  }
  await bury(deps, outbox, [...dead, ...sent.refused]);
  if (sent.failure === null) return;
  await deps.progress.release(source, sent.unsent, GIVE_BACK_MS);
  throw sent.failure;
}

async function prepared(
  deps: BatchDeps,
  outbox: Outbox,
  claimed: readonly Claimed[],
): Promise<{ readonly sendable: readonly RowRecords[]; readonly dead: readonly DeadRow[] }> {
  const source = outbox.source.key;
  const rows = new Map((await outbox.rows(claimed.map(({ id }) => id))).map((row) => [row.id, row]));
  const sendable: RowRecords[] = [];
  const dead: DeadRow[] = [];
  const gone: string[] = [];
  const children: Child[] = [];
  for (const { id, seenAtMs } of claimed) {
    const row = rows.get(id);
    if (row === undefined) {
      gone.push(id);
      continue;
    }
    const answer = recordsOf(deps, requestsOfRow(row, seenAtMs));
    if (answer.kind === 'dead') dead.push({ id, reason: answer.reason });
    else sendable.push({ rowId: id, records: answer.records });
    if (answer.kind === 'records' && answer.ids.length > 1)
      for (const childId of answer.ids) children.push({ id: childId, rowId: id });
  }
  if (children.length > 0) await deps.progress.split(source, children);
  // Deleted, or told its outcome by somebody since it was seen.
  if (gone.length > 0) await deps.progress.forget(source, gone);
  return { sendable, dead };
}

type RecordsAnswer =
  | {
      readonly kind: 'records';
      readonly ids: readonly NotificationId[];
      readonly records: readonly OutgoingRecord[];
    }
  | { readonly kind: 'dead'; readonly reason: string };

function recordsOf({ topics, codec }: BatchDeps, answer: RowAnswer): RecordsAnswer {
  if (answer.kind === 'dead') return answer;
  const { requests } = answer;
  try {
    return {
      kind: 'records',
      ids: requests.map(({ notificationId }) => notificationId),
      records: requests.map((request) => encodeRequest(topics, codec, request, null)),
    };
  } catch (error) {
    if (!isFault(error) || error.code !== 'VALUE_TOO_LARGE') throw error;
    return { kind: 'dead', reason: 'oversized: the request is too large' };
  }
}

function failureOf({ id, reason }: DeadRow, atMs: number): Outcome {
  return { id: id as NotificationId, seq: 1, status: 'Failed', reason, atMs };
}

/** The source is told before we forget the claim: who dies in between finds the row failed, and forgets it then. */
async function bury(deps: BatchDeps, outbox: Outbox, dead: readonly DeadRow[]): Promise<void> {
  if (dead.length === 0) return;
  await outbox.condemn(dead);
  for (const { id, reason } of dead) {
    deps.logger.warn('relay.dead', { source: outbox.source.key, notification_id: id, reason });
  }
  deps.metrics.increment('pin_relay_rows_total', { result: 'dead' }, dead.length);
  if (outbox.tellsOutcomes)
    await deps.progress.forget(
      outbox.source.key,
      dead.map(({ id }) => id),
    );
  // Without a column for it only our own table can remember that it must not be tried for ever.
  else await deps.progress.settle(dead.map((row) => failureOf(row, deps.clock.nowMs())));
}

// What a record of requested.v1 becomes: a new row on its way, the same request again, or a dead letter.

import type { LogRecord } from '../broker/log.ts';
import { admitCancelled, newNotification, planRedelivery } from '../domain/admission.ts';
import { planNew } from '../domain/plan.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Stored } from '../state/store.ts';
import { violation } from '../streams/decode-answer.ts';
import { decodeRequested, type RequestedInput } from '../streams/requested.ts';
import { advance, commitAndPay } from './advance.ts';
import { sendToDeadLetters } from './dead-letters.ts';
import { type Engine, factsFor } from './engine.ts';
import { produceWakeUp, publishOutcome } from './obligations.ts';
import { loadStored, type Subject } from './subject.ts';
import { DONE, type Turn } from './turn.ts';

/** A row that is there for the insert and gone for the load, this many times in a row, is a bug. */
const MAX_ADMISSIONS = 10;

export async function onRequested(engine: Engine, record: LogRecord): Promise<Turn> {
  const answer = await engine.schemas.decode(() => decodeRequested(engine, record));
  if (answer.kind === 'skipped') {
    engine.metrics.increment('pin_records_skipped_total', { topic: record.topic, reason: answer.reason });
    return DONE;
  }
  if (answer.kind === 'violation') {
    await sendToDeadLetters(engine, record, answer);
    return DONE;
  }
  return admit(engine, record, answer.value);
}

async function admit(engine: Engine, record: LogRecord, input: RequestedInput): Promise<Turn> {
  const { request, content } = input;
  let over: number | null = null;
  for (let tries = 0; tries < MAX_ADMISSIONS; tries += 1) {
    const subject: Subject = { kind: 'new', state: newNotification(request), content, over };
    const turn = await advance(engine, subject, (one, facts) =>
      planNew(one.kind === 'new' ? one.state : one.row, facts),
    );
    if (turn.kind !== 'lost-race') return turn;
    const stored = await loadStored(engine, request.notificationId);
    const place = stored === null ? 'free' : await redelivered(engine, record, input, stored);
    if (place === 'done') return DONE;
    over = place === 'kept' && stored !== null ? stored.row.version : null;
  }
  await sendToDeadLetters(engine, record, violation('payload-conflict', 'the row could not be read'));
  return DONE;
}

/** `free`: whoever was there moved on, try again. `kept`: a row is there that this request may take the place of. */
async function redelivered(
  engine: Engine,
  record: LogRecord,
  { request, content }: RequestedInput,
  { row, payloadHash, content: storedContent }: Stored,
): Promise<'done' | 'free' | 'kept'> {
  const plan = planRedelivery(
    row,
    { payloadHash, tenantId: row.tenantId },
    { payloadHash: content.payloadHash, tenantId: request.tenantId },
  );
  switch (plan.kind) {
    case 'replace':
      return 'kept';
    case 'cancelled': {
      const subject: Subject = { kind: 'new', state: row, content, over: row.version };
      const turn = await commitAndPay(
        engine,
        subject,
        admitCancelled(row, request, factsFor(engine, request, content)),
      );
      return turn.kind === 'lost-race' ? 'free' : 'done';
    }
    case 'conflict':
      await sendToDeadLetters(
        engine,
        record,
        violation('payload-conflict', 'the id is used by another payload'),
      );
      return 'done';
    case 'publish':
      await publishOutcome(engine, row, storedContent);
      return 'done';
    case 're-arm':
      await produceWakeUp(engine, { notificationId: row.id, dueAtMs: plan.dueAtMs, wakeSeq: plan.wakeSeq });
      return 'done';
    case 'drop':
      return 'done';
    default:
      return unreachable(plan);
  }
}

// What a record of requested.v1 becomes: a new row on its way, the same request again, or a dead letter.

import type { LogRecord } from '../broker/log.ts';
import { newNotification, planRedelivery } from '../domain/admission.ts';
import { planNew } from '../domain/plan.ts';
import { violation } from '../streams/decode-answer.ts';
import { decodeRequested, type RequestedInput } from '../streams/requested.ts';
import { advance } from './advance.ts';
import { sendToDeadLetters } from './dead-letters.ts';
import type { Engine } from './engine.ts';
import { produceWakeUp, publishOutcome } from './obligations.ts';
import { loadStored } from './subject.ts';
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
  for (let tries = 0; tries < MAX_ADMISSIONS; tries += 1) {
    const turn = await advance(
      engine,
      { kind: 'new', state: newNotification(request), content },
      (subject, facts) => planNew(subject.kind === 'new' ? subject.state : subject.row, facts),
    );
    if (turn.kind !== 'lost-race') return turn;
    if (await redelivered(engine, record, input)) return DONE;
  }
  await sendToDeadLetters(engine, record, violation('payload-conflict', 'the row could not be read'));
  return DONE;
}

/** False when there is no such row after all. */
async function redelivered(engine: Engine, record: LogRecord, input: RequestedInput): Promise<boolean> {
  const stored = await loadStored(engine, input.request.notificationId);
  if (stored === null) return false;
  const plan = planRedelivery(
    stored.row,
    { payloadHash: stored.payloadHash, tenantId: stored.row.tenantId },
    { payloadHash: input.content.payloadHash, tenantId: input.request.tenantId },
  );
  if (plan.kind === 'conflict')
    await sendToDeadLetters(
      engine,
      record,
      violation('payload-conflict', 'the id is used by another payload'),
    );
  if (plan.kind === 'publish') await publishOutcome(engine, stored.row, stored.content);
  if (plan.kind === 're-arm')
    await produceWakeUp(engine, {
      notificationId: stored.row.id,
      dueAtMs: plan.dueAtMs,
      wakeSeq: plan.wakeSeq,
    });
  return true;
}

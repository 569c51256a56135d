// Judges a run by what the vendor and the topic say: each reference one message, each id one outcome, no second call too early.
import { decodeDispatched } from '../dist/streams/dispatched.js';
import { quantile } from './quantiles.mjs';
import { BACKOFF_MS } from './world.mjs';

/** Counts of what must not be, and how late the second calls were (ms after the first answer and the backoff). */
export function auditLedger(ids, { calls }) {
  const messages = ids.map((id) => calls.get(id)?.accepted ?? 0);
  const retried = ids.map((id) => calls.get(id)).filter(isRetried);
  const lateMs = retried.map(({ failedMs, secondArrivedMs }) => secondArrivedMs - failedMs - BACKOFF_MS);
  return {
    unsent: messages.filter((count) => count === 0).length,
    double: messages.filter((count) => count > 1).length,
    retried: lateMs.length,
    early: lateMs.filter((late) => late < 0).length,
    lateP50Ms: quantile(lateMs, 0.5),
    lateP99Ms: quantile(lateMs, 0.99),
  };
}

function isRetried(entry) {
  return entry !== undefined && entry.failedMs !== null && entry.secondArrivedMs !== null;
}

/** Ids without exactly the outcome that the vendor's answers lead to. */
export async function auditOutcomes(ids, seen, codec) {
  let lost = 0;
  let wrong = 0;
  for (const id of ids) {
    const record = seen.get(id);
    if (record === undefined) lost += 1;
    else if (!(await isSent(codec, id, record.value))) wrong += 1;
  }
  return { lost, wrong };
}

async function isSent(codec, id, value) {
  const answer = await decodeDispatched(codec, { key: Buffer.from(id), value, headers: {} });
  return answer.kind === 'decoded' && answer.value.status === 'Sent' && answer.value.outcomeSeq === 1;
}

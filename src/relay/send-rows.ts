// Produces the records of rows and says for each row whether the log has all of them. In portions, so that a row with many recipients
// cannot fill the producer's queue. It waits as long as the log is away: the producer tries again by itself and answers when it closes.
import type { LogProducer, OutgoingRecord } from '../broker/log.ts';
import { type Fault, isFault, messageOf } from '../runtime/fault.ts';
import type { DeadRow } from './outbox.ts';

export interface RowRecords {
  readonly rowId: string;
  readonly records: readonly OutgoingRecord[];
}

export interface SentRows {
  readonly acknowledged: readonly string[];
  readonly records: number;
  /** Refused for themselves: they will never pass. */
  readonly refused: readonly DeadRow[];
  /** Rows of which the log does not have everything. */
  readonly unsent: readonly string[];
  /** Why; null when there are none. */
  readonly failure: Fault | null;
}

export const MAX_PORTION_RECORDS = 1_000;
export const MAX_PORTION_BYTES = 4 * 1_048_576;

interface Sendable {
  readonly rowId: string;
  readonly record: OutgoingRecord;
}

/** @throws what is no Fault: a bug */
export async function sendRows(producer: LogProducer, rows: readonly RowRecords[]): Promise<SentRows> {
  const all = rows.flatMap(({ rowId, records }) => records.map((record) => ({ rowId, record })));
  const faults = new Map<string, Fault>();
  for (const portion of portions(all)) {
    const answers = await Promise.allSettled(portion.map(({ record }) => producer.send(record)));
    for (const [index, answer] of answers.entries())
      if (answer.status === 'rejected') noteFault(faults, portion[index]?.rowId ?? '', answer.reason);
  }
  const failed = [...faults];
  const unsent = failed.filter(([, fault]) => !isRefusal(fault));
  return {
    acknowledged: rows.filter(({ rowId }) => !faults.has(rowId)).map(({ rowId }) => rowId),
    records: all.length,
    refused: failed
      .filter(([, fault]) => isRefusal(fault))
      .map(([id, fault]) => ({ id, reason: `oversized: the log refused it: ${messageOf(fault)}` })),
    unsent: unsent.map(([id]) => id),
    failure: unsent[0]?.[1] ?? null,
  };
}

/** A refusal of one record is the row's fate, whatever became of its others. */
function noteFault(faults: Map<string, Fault>, rowId: string, error: unknown): void {
  if (!isFault(error)) throw error;
  const before = faults.get(rowId);
  if (before === undefined || !isRefusal(before)) faults.set(rowId, error);
}

function isRefusal({ code }: Fault): boolean {
  return code === 'LOG_RECORD_REFUSED';
}

function* portions(all: readonly Sendable[]): Generator<readonly Sendable[]> {
  let portion: Sendable[] = [];
  let bytes = 0;
  for (const one of all) {
    const size = one.record.value?.length ?? 0;
    if (portion.length >= MAX_PORTION_RECORDS || (portion.length > 0 && bytes + size > MAX_PORTION_BYTES)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(one);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

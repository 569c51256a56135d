// Committed offsets are never ahead of the rows: below them every request is done, in the table, on the dead letter topic or in
// quarantine. One violation for each partition, with the first record that proves it.
import { type Remark, violationOf } from './audit-facts.ts';

export interface UnfinishedRequest {
  readonly id: string;
  readonly partition: number;
  readonly offset: number;
}

/** `committed`: the next offset to read, by partition. `unfinished`: requests without any trace, committed or not. */
export function auditOffsets(
  committed: ReadonlyMap<number, number>,
  unfinished: readonly UnfinishedRequest[],
): readonly Remark[] {
  const first = new Map<number, UnfinishedRequest & { readonly count: number }>();
  for (const one of unfinished) {
    if (one.offset >= (committed.get(one.partition) ?? 0)) continue;
    const known = first.get(one.partition);
    const count = (known?.count ?? 0) + 1;
    first.set(one.partition, { ...(known !== undefined && known.offset < one.offset ? known : one), count });
  }
  return [...first.values()].map(({ id, partition, offset, count }) =>
    violationOf(
      'offsets',
      id,
      `nothing unfinished below the committed offset ${committed.get(partition) ?? 0} of partition ${partition}`,
      `${count} requests without a trace, the first at ${offset}`,
    ),
  );
}

// One number for everything that a schedule left behind: the same tape gives the same, in any process.
import { hash } from 'node:crypto';
import type { Stage } from './stage.ts';

export function stateHash({ database, ledger, broker, topics }: Stage): string {
  const rows = [...database.rows.values()]
    .map(({ row, payloadHash }) => ({ row, payloadHash }))
    .sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  const outcomes = broker.partitions
    .all(topics.dispatched)
    .map(({ offset, timestampMs }) => [offset, timestampMs]);
  return hash('sha256', JSON.stringify([rows, ledger, outcomes]), 'hex').slice(0, 16);
}

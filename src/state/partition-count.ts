// The partition count of the input topics, as the deployment first saw it. It is written once and never changed: keys would move.
import { integer, integerOrNull } from './cells.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { Statement } from './statement.ts';
import type { NotificationStore } from './store.ts';

export function partitionCounter(
  pool: PostgresPool,
  schema: string,
): Pick<NotificationStore, 'storedPartitions' | 'rememberPartitions'> {
  const remember: Statement = {
    name: 'pin_remember_partitions',
    text: `insert into ${schema}.settings (name, value) values ('partition_count', $1) on conflict (name) do nothing`,
  };
  const recall: Statement = {
    name: 'pin_recall_partitions',
    text: `select value from ${schema}.settings where name = 'partition_count'`,
  };
  return {
    async storedPartitions() {
      const [row] = await pool.ask(recall, []);
      return integerOrNull(row?.[0]);
    },
    async rememberPartitions(count) {
      await pool.ask(remember, [String(count)]);
      const [row] = await pool.ask(recall, []);
      return integer(row?.[0]);
    },
  };
}

// The machine in a sentence: figures mean nothing without it.
import { availableParallelism, cpus, loadavg } from 'node:os';
import pg from 'pg';

export async function machine({ why, addresses }) {
  const client = new pg.Client({ connectionString: addresses.PIN_DATABASE_URL });
  await client.connect();
  const { rows } = await client.query("select current_setting('server_version') as postgres");
  await client.end();
  const cores = `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}`;
  return `${cores}, Node ${process.versions.node}, Postgres ${rows[0].postgres}; ${why}; load ${loadavg()[0].toFixed(1)}`;
}

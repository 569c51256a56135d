// The neighbour: the same requests as jobs of pg-boss, fetched by 500, produced with the product's own producer and codec, completed when
// the log has them. It checks no contract and keeps no outcome.
import PgBoss from 'pg-boss';
import { readConfig } from '../dist/app/config/read-config.js';
import { logOfConfig } from '../dist/app/connections.js';
import { systemClock } from '../dist/runtime/clock.js';
import { systemIds } from '../dist/runtime/ids.js';
import { silentLogger } from '../dist/runtime/logger.js';
import { systemTimers } from '../dist/runtime/timers.js';
import { encodeRequest } from '../dist/streams/requested.js';
import { newRequests } from './requests.mjs';

const QUEUE = 'requests';
const BATCH = 500;
const INSERT_BATCH = 1_000;

export async function runBoss({ variables, topics, codec }, count) {
  const schema = `${variables.PIN_DATABASE_SCHEMA}_boss`;
  const boss = new PgBoss({
    connectionString: variables.PIN_DATABASE_URL,
    schema,
    supervise: false,
    schedule: false,
  });
  const { config } = readConfig(variables);
  const environment = { clock: systemClock, timers: systemTimers, ids: systemIds };
  const producer = await logOfConfig(environment, config, silentLogger).producer();
  await boss.start();
  await boss.createQueue(QUEUE);
  const requests = newRequests(count);
  for (let at = 0; at < count; at += INSERT_BATCH)
    await boss.insert(requests.slice(at, at + INSERT_BATCH).map((data) => ({ name: QUEUE, data })));
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  for (let done = 0; done < count; ) {
    const jobs = await boss.fetch(QUEUE, { batchSize: BATCH });
    await Promise.all(jobs.map(({ data }) => producer.send(encodeRequest(topics, codec, data, null))));
    await boss.complete(
      QUEUE,
      jobs.map(({ id }) => id),
    );
    done += jobs.length;
  }
  const milliseconds = performance.now() - startedMs;
  const used = process.cpuUsage(cpu);
  await producer.close();
  await boss.getDb().executeSql(`drop schema ${schema} cascade`);
  await boss.stop({ graceful: false });
  return { count, milliseconds, cpuPer1000: (used.user + used.system) / 1_000 / count };
}

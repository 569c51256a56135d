// The relay alone: rows of an outbox table to acknowledged records, beside a pg-boss loop that produces the same, in one run; again with
// published rows behind; and how long a row takes from its commit at an even pace with the trigger. Not a test.
//   node bench/relay.mjs [--rows 50000] [--published 1000000] [--rate 500] [--seconds 15] [--no-build]
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/bootstrap-install.mjs';

const { values } = parseArgs({
  args: process.argv.slice(2),
  allowNegative: true,
  options: {
    rows: { type: 'string', default: '50000' },
    published: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '15' },
    build: { type: 'boolean', default: true },
  },
});
if (values.build) await ensureBuilt();
const { openServers } = await import('./servers.mjs');
const { machine } = await import('./machine.mjs');
const { openOutboxWorld } = await import('./relay-world.mjs');
const { runBoss } = await import('./relay-boss.mjs');

const [rows, published, rate, seconds] = [values.rows, values.published, values.rate, values.seconds].map(
  Number,
);
const say = (line) => process.stderr.write(`${line}\n`);
const servers = await openServers(say);
try {
  console.log(await machine(servers));
  const world = await openOutboxWorld(servers.addresses);
  try {
    report('pg-boss loop (fetch 500, produce, complete)', await runBoss(world, rows));
    report('relay, nothing behind', await world.drain(rows));
    report(`relay once more, ${rows} published rows behind`, await world.drain(rows));
    await world.addPublished(published);
    report(`relay, ${published} published rows behind`, await world.drain(rows));
    report(`relay, ${published} published rows behind, once more`, await world.drain(rows));
    const latency = await world.pace(rate, seconds);
    console.log(
      `commit to acknowledged at ${rate}/s with NOTIFY: p50 ${latency.p50} ms, p99 ${latency.p99} ms, most ${latency.most} ms of ${latency.count} rows`,
    );
  } finally {
    await world.remove();
  }
} finally {
  await servers.stop();
}

function report(what, { count, milliseconds, cpuPer1000 }) {
  console.log(
    `${what}: ${Math.round(count / (milliseconds / 1_000))} rows/s (${count} rows, ${(milliseconds / 1_000).toFixed(1)} s; ${cpuPer1000.toFixed(3)} s of CPU per 1,000)`,
  );
}

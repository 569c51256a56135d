// Lives per second of the Postgres store alone: load (a miss), insert claimed, settle to Sent, mark. Not a test.
// Needs a build and a database: `npm run build && PIN_DATABASE_URL=… node bench/state.mjs [lives] [in flight]`.
import { randomUUID } from 'node:crypto';
import { systemClock } from '../dist/runtime/clock.js';
import { silentLogger } from '../dist/runtime/logger.js';
import { systemTimers } from '../dist/runtime/timers.js';
import { migrateUp } from '../dist/state/migrate.js';
import { DEFAULT_STORE_SETTINGS, postgresStore } from '../dist/state/postgres-store.js';

const [lives = 40_000, inFlight = 128] = process.argv.slice(2).map(Number);
const databaseUrl = process.env.PIN_DATABASE_URL;
const schema = 'pin_bench';
await migrateUp({ logger: silentLogger }, { databaseUrl, schema });
const store = postgresStore(
  { clock: systemClock, timers: systemTimers, logger: silentLogger },
  { ...DEFAULT_STORE_SETTINGS, schema, databaseUrl },
);

const nothing = {
  tenantId: null,
  unknown: null,
  hold: null,
  lastError: null,
  notBeforeMs: null,
  notAfterMs: null,
  readAtMs: null,
  deliveredAtMs: null,
  inAppStatus: 'none',
};

/** uuid v7: as most producers make them. */
function newId() {
  const time = Date.now().toString(16).padStart(12, '0');
  const rest = randomUUID().slice(14);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(1)}`;
}

async function live() {
  const id = newId();
  if (process.env.BENCH_LOAD !== '0') await store.load([id]);
  const requestedAtMs = Date.now();
  const request = {
    notificationId: id,
    channel: 'email',
    recipient: 'someone@example.org',
    template: { key: 'welcome', version: '3', locale: 'en' },
    body: null,
    data: { name: 'Somebody', link: `https://example.org/confirm/${id}` },
    attributes: {},
    requestedAtMs,
  };
  const claimed = {
    ...nothing,
    id,
    channel: 'email',
    status: 'Pending',
    final: null,
    cycle: 0,
    attempts: 1,
    claim: { token: randomUUID(), attempt: 1, providerKey: 'mail', takeovers: 0 },
    providerKey: 'mail',
    providerMessageId: null,
    evidence: [],
    outcome: null,
    outcomeSeq: 0,
    publishedSeq: 0,
    requestedAtMs,
  };
  const inserted = await store.insert({
    change: {
      next: claimed,
      wake: { kind: 'after', waitMs: 30_000, inLog: false },
      isNextAttempt: false,
      trail: 'claimed n=1 provider=mail',
    },
    content: {
      request,
      payloadHash: id.padEnd(64, '0'),
      recipientHash: id.padEnd(64, '1'),
      traceparent: null,
    },
    writeToken: randomUUID(),
  });
  if (inserted.kind !== 'written') throw new RangeError(JSON.stringify(inserted));
  const outcome = {
    schemaVersion: 1,
    seq: 1,
    supersedes: null,
    status: 'Sent',
    reason: 'accepted',
    providerKey: 'mail',
    cycle: 0,
    attempts: 1,
    maxAttempts: 5,
    providerMessageId: `m-${id}`,
    error: null,
    evidence: 'accepted',
  };
  const settled = await store.write({
    expectedVersion: 1,
    change: {
      next: {
        ...inserted.row,
        status: 'Sent',
        final: 'accepted',
        claim: null,
        providerMessageId: `m-${id}`,
        outcome,
        outcomeSeq: 1,
        evidence: [{ messageId: `m-${id}`, cycle: 0, attempt: 1, verdict: 'accepted' }],
      },
      wake: { kind: 'after', waitMs: 60_000, inLog: false },
      isNextAttempt: false,
      trail: 'accepted n=1 provider=mail',
    },
    writeToken: randomUUID(),
  });
  if (settled.kind !== 'written') throw new RangeError(JSON.stringify(settled));
  store.mark(id, 1);
}

async function run(count) {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await live();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  await store.drainMarks();
}

await run(2_000);
const cpu = process.cpuUsage();
const startMs = performance.now();
await run(lives);
const seconds = (performance.now() - startMs) / 1_000;
const used = process.cpuUsage(cpu);
const micros = (used.user + used.system) / lives;
console.log(
  `${Math.round(lives / seconds)} lives/s, ${inFlight} in flight, ${micros.toFixed(0)} µs of Node's CPU a life`,
);
await store.close();

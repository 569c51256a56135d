// Ours: a real `pin run processor` between a real topic of requests and a real topic of outcomes.
import { auditLedger, auditOutcomes } from './audit.mjs';
import { peakMemoryMib } from './cpu.mjs';
import { openProducer, produceBacklog } from './loader.mjs';
import { per1000, startMeter } from './meter.mjs';
import { startProcessor } from './processor.mjs';
import { openReader } from './reader.mjs';
import { newRequests } from './requests.mjs';
import { openWorld } from './world.mjs';

const SILENCE_LIMIT_MS = 30_000;
/** The last tenth waits for the last failures' second calls: a second that is no work. */
const MOST = 0.9;

/** Works off a backlog that is there before the process starts. */
export async function oursBacklog({ servers, vendor, options }, { count, latencyMs, calls }) {
  const world = await openWorld(servers.addresses, {
    vendorUrl: vendor.url,
    calls,
    partitions: options.partitions,
  });
  await vendor.begin({ latencyMs, failOnceShare: options.failOnceShare });
  const requests = newRequests(count);
  await loadBacklog(world, requests);
  const reader = await openReader(world.log, world.topics.dispatched);
  const startedMs = performance.now();
  const processor = startProcessor(world.variables, options.profileFolder);
  try {
    const first = await reader.until(1, SILENCE_LIMIT_MS);
    const meter = startMeter(servers, processor.pid);
    const all = first && (await reader.until(count, SILENCE_LIMIT_MS));
    const cpu = per1000(meter.used(), count);
    const memoryMib = processor.exit() === null ? peakMemoryMib(processor.pid) : null;
    if (!all) process.stderr.write(`${processor.lastLines()}\n`);
    const ids = requests.map(({ notificationId }) => notificationId);
    return {
      ...speedOf(reader.seen, startedMs, count),
      cpu,
      memoryMib,
      ...auditLedger(ids, await vendor.ledger()),
      ...(await auditOutcomes(ids, reader.seen, world.codec)),
      repeatedOutcomes: reader.repeats(),
    };
  } finally {
    await processor.stop();
    await reader.stop();
  }
}

async function loadBacklog(world, requests) {
  const producer = await openProducer(world.variables.PIN_KAFKA_BROKERS);
  await produceBacklog(producer, world, requests);
  await producer.disconnect();
}

/** `startedMs`: when the process was started. */
export function speedOf(seen, startedMs, count) {
  const times = [...seen.values()].map(({ atMs }) => atMs).sort((a, b) => a - b);
  const [firstMs = startedMs] = times;
  const most = Math.floor(MOST * count);
  return {
    coldStartMs: firstMs - startedMs,
    perSecond: (most / ((times[most - 1] ?? Number.NaN) - firstMs)) * 1_000,
    perSecondToTheLast: (times.length / ((times.at(-1) ?? Number.NaN) - firstMs)) * 1_000,
  };
}

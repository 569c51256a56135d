// Ours: a real `pin run processor` between a real topic of requests and a real topic of outcomes.
import { auditLedger, auditOutcomes } from './audit.mjs';
import { messageOf, openProducer, produce, produceBacklog } from './loader.mjs';
import { per1000, startMeter } from './meter.mjs';
import { callsPerSecond, delaysOf, speedOf } from './outcome-times.mjs';
import { startProcessor } from './processor.mjs';
import { openReader } from './reader.mjs';
import { newRequests } from './requests.mjs';
import { sendPaced } from './send-paced.mjs';
import { openWorld } from './world.mjs';

const SILENCE_LIMIT_MS = 30_000;

/** Works off a backlog that is there before the process starts. The first `warmUp` outcomes are not timed. */
export function oursBacklog(bench, { count, warmUp, latencyMs, calls }) {
  const total = warmUp + count;
  return withWorld(
    bench,
    { count: total, warmUp, latencyMs, calls },
    async ({ world, requests, producer, reader, start }) => {
      await produceBacklog(producer, world, requests);
      const startedMs = performance.now();
      const processor = start();
      await reader.until(warmUp, SILENCE_LIMIT_MS);
      const meter = startMeter(bench.servers, processor.pid);
      await reader.until(total, SILENCE_LIMIT_MS);
      const cpu = per1000(meter.used(), count);
      const speed = speedOf([...reader.seen.values()], startedMs, warmUp);
      return { ...speed, cpu, memoryMib: processor.memoryMib() };
    },
  );
}

/** Follows an even pace. The first `warmUp` requests are not timed. */
export function oursPaced(bench, { count, warmUp, perSecond, calls }) {
  const total = warmUp + count;
  return withWorld(bench, { count: total, warmUp, latencyMs: 0, calls }, async (run) => {
    const { world, requests, producer, reader, start } = run;
    const processor = start();
    const send = (index) => {
      produce(producer, world.topics.requested, messageOf(world, requests[index]));
      return requests[index].notificationId;
    };
    let meter;
    const sentMs = await sendPaced({ warmUp, count, perSecond }, reader, send, () => {
      meter = startMeter(bench.servers, processor.pid);
    });
    const cpu = per1000(meter.used(), count);
    const outcomes = [...reader.seen.values()]
      .filter(({ id }) => sentMs.has(id))
      .map((outcome) => ({ ...outcome, startedMs: sentMs.get(outcome.id) }));
    return { ...delaysOf(outcomes, await bench.vendor.ledger()), cpu, memoryMib: processor.memoryMib() };
  });
}

/** Opens what a run needs, lets it run, judges what it left, and ends everything. */
async function withWorld(bench, { count, warmUp, latencyMs, calls }, run) {
  const { servers, vendor, options } = bench;
  const { addresses } = servers;
  const world = await openWorld(addresses, { vendorUrl: vendor.url, calls, partitions: options.partitions });
  await vendor.begin({ latencyMs, failOnceShare: options.failOnceShare });
  const requests = newRequests(count);
  const producer = await openProducer(addresses.PIN_KAFKA_BROKERS);
  const reader = await openReader(addresses.PIN_KAFKA_BROKERS, world.topics.dispatched);
  let processor = null;
  const start = () => {
    processor = startProcessor(world.variables, options.profileFolder);
    return processor;
  };
  try {
    const result = await run({ world, requests, producer, reader, start });
    const ids = requests.map(({ notificationId }) => notificationId);
    const ledger = await vendor.ledger();
    const outcomes = await auditOutcomes(ids, reader.seen, world.codec);
    if (outcomes.lost > 0) process.stderr.write(`${processor.lastLines()}\n`);
    const judged = { ...auditLedger(ids, ledger), ...outcomes, ...reader.counts };
    return { ...result, callsPerSecond: callsPerSecond(ledger, warmUp), ...judged };
  } finally {
    await processor?.stop();
    await Promise.all([reader.stop(), producer.disconnect()]);
    await world.remove();
  }
}

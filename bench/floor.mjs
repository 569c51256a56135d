// Runs the floor's process once and measures it from outside, as ours is measured.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { auditLedger } from './audit.mjs';
import { peakMemoryMib } from './cpu.mjs';
import { per1000, startMeter } from './meter.mjs';
import { callsPerSecond, delaysOf, speedOf } from './outcome-times.mjs';
import { NODE_FLAGS } from './processor.mjs';
import { BACKOFF_MS } from './world.mjs';

const PROCESS = fileURLToPath(new URL('floor-process.mjs', import.meta.url));
/** A whole run says nothing until its end. */
const SILENCE_LIMIT_MS = 600_000;

/** `perSecond`: the pace at which requests come; null: all at once. The first `warmUp` of them are not timed. */
export async function runFloor({ servers, vendor, options }, { count, warmUp, latencyMs, calls, perSecond }) {
  await vendor.begin({ latencyMs, failOnceShare: options.failOnceShare });
  const databaseUrl = servers.addresses.PIN_DATABASE_URL;
  const work = { calls, count, warmUp, perSecond, backoffMs: BACKOFF_MS };
  const { startedMs, outcomes, ...used } = await measured(servers, {
    databaseUrl,
    vendorUrl: vendor.url,
    ...work,
  });
  const ids = outcomes.map(({ id }) => id);
  const ledger = await vendor.ledger();
  return {
    ...speedOf(outcomes, startedMs, warmUp),
    ...delaysOf(
      outcomes.filter(({ index }) => index >= warmUp),
      ledger,
    ),
    callsPerSecond: callsPerSecond(ledger, warmUp),
    ...used,
    ...auditLedger(ids, ledger),
    lost: warmUp + count - new Set(ids).size,
    wrong: outcomes.filter(({ status }) => status !== 'Sent').length,
  };
}

async function measured(servers, order) {
  const child = fork(PROCESS, { serialization: 'advanced', execArgv: NODE_FLAGS });
  const said = listen(child);
  await said('started');
  child.send({ kind: 'order', order });
  await said('ready');
  child.send({ kind: 'go' });
  await said('warm');
  const meter = startMeter(servers, child.pid);
  await said('done');
  const cpu = per1000(meter.used(), order.count);
  const memoryMib = peakMemoryMib(child.pid);
  child.send({ kind: 'tell' });
  const { startedMs, outcomes } = await said('outcomes');
  child.send({ kind: 'end' });
  await said('exit');
  return { startedMs, outcomes, cpu, memoryMib };
}

/** Waits for what the child says; fails when it ends before it said so, or says nothing for too long. */
function listen(child) {
  return (kind) =>
    new Promise((resolve, reject) => {
      const end = (settle, value) => {
        clearTimeout(limit);
        child.off('message', onMessage).off('exit', onExit);
        settle(value);
      };
      const onMessage = (message) => message.kind === kind && end(resolve, message);
      const onExit = (code) =>
        kind === 'exit' ? end(resolve) : end(reject, new RangeError(`the floor ended with ${code}`));
      const limit = setTimeout(
        () => end(reject, new RangeError(`the floor is not ${kind}`)),
        SILENCE_LIMIT_MS,
      );
      child.on('message', onMessage).on('exit', onExit);
    });
}

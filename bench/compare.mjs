// The runs, one contender after the other in each, so that a busy minute of the machine meets all of them.
import { oursBacklog } from './ours.mjs';
import { openServers } from './servers.mjs';
import { startVendor } from './vendor.mjs';

const say = (line) => process.stderr.write(`${line}\n`);

export async function compare(options) {
  const servers = await openServers(say);
  const vendor = await startVendor();
  const bench = { servers, vendor, options };
  try {
    for (let run = 1; run <= options.runs; run += 1) {
      const result = await oursBacklog(bench, { count: options.count, latencyMs: 0, calls: options.calls });
      say(`run ${run}: ${JSON.stringify(result)}`);
    }
    return true;
  } finally {
    vendor.close();
    await servers.stop();
  }
}

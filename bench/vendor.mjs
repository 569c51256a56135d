// The vendor's process as the bench holds it: begin a run, then ask what its ledger says.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('vendor-process.mjs', import.meta.url));

export async function startVendor() {
  const child = fork(PROCESS, { serialization: 'advanced' });
  const answer = async () => (await once(child, 'message'))[0];
  const { url } = await answer();
  return {
    url,
    /** Forgets the ledger. `settings`: latencyMs, failOnceShare. */
    async begin(settings) {
      child.send({ kind: 'begin', settings });
      await answer();
    },
    /** By reference: calls, accepted, failedMs (answer of the first call), secondArrivedMs. */
    async ledger() {
      child.send({ kind: 'report' });
      return new Map((await answer()).entries);
    },
    close: () => child.disconnect(),
  };
}

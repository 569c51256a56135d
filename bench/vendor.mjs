// The vendor's process as the bench holds it: begin a run, then ask what its ledger says.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('vendor-process.mjs', import.meta.url));

export async function startVendor() {
  const child = fork(PROCESS, { serialization: 'advanced' });
  const onDeath = (code) => {
    throw new RangeError(`the vendor ended with ${code}`);
  };
  child.once('exit', onDeath);
  const answer = async () => (await once(child, 'message'))[0];
  const { url } = await answer();
  return {
    url,
    /** Forgets the ledger. `settings`: latencyMs, failOnceShare. */
    async begin(settings) {
      child.send({ kind: 'begin', settings });
      await answer();
    },
    /**
     * `calls` by reference: calls, accepted, failedMs (when the first was answered with a failure), secondArrivedMs.
     * `answeredMs`: of every call, in order. By the vendor's own clock.
     */
    async ledger() {
      child.send({ kind: 'report' });
      const { entries, answeredMs } = await answer();
      return { calls: new Map(entries), answeredMs };
    },
    close() {
      child.off('exit', onDeath);
      child.disconnect();
    },
  };
}

// One download at a time over all processes of this machine: a file that names its holder. A lock whose holder is
// gone is taken over; two that take over at once both download, which costs time and nothing else.
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { invariant } from '../../runtime/fault.ts';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.ts';

const POLL_MS = 250;
const HEARTBEAT_MS = 5_000;

/** Waits for as long as a living process holds it: that one's download has a limit of its own. */
export async function holdDownloadLock(
  path: string,
  say: (line: string) => void,
): Promise<{ release(): void }> {
  const self = identityOf(process.pid);
  invariant(self !== null, 'a running process knows when it started');
  let saidMs = Number.NEGATIVE_INFINITY;
  while (!take(path, self)) {
    if (performance.now() - saidMs > HEARTBEAT_MS) {
      say('waiting for another process that is fetching the servers');
      saidMs = performance.now();
    }
    await pause(POLL_MS);
  }
  return { release: () => rmSync(path, { force: true }) };
}

function take(path: string, self: ProcessIdentity): boolean {
  if (existsSync(path) && !holderIsAlive(path)) rmSync(path, { force: true });
  // Written beside and linked, so that nobody ever reads half a lock.
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, JSON.stringify(self));
  try {
    linkSync(beside, path);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(beside, { force: true });
  }
}

function holderIsAlive(path: string): boolean {
  try {
    return isAlive(JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity);
  } catch {
    return false; // released in between
  }
}

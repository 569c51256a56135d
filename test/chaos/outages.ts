// Each outage as a function: takes something away, waits, brings it back. It resolves when what was away answers again.
import type { HttpVendor } from '../../src/lab/http-vendor.ts';
import { fractionOf } from '../../src/lab/vendor-plan.ts';
import { pause, systemTimers } from '../../src/runtime/timers.ts';
import type { RealWorld } from '../support/real-service.ts';
import { whileDown } from '../support/stack-servers.ts';
import type { ProviderDoor } from './provider-door.ts';
import type { Outage } from './schedule.ts';

export interface OutageDeps {
  readonly world: RealWorld;
  readonly door: ProviderDoor;
}

const TERMINATE_EVERY_MS = 1_000;
const TERMINATE = `select count(pg_terminate_backend(pid)) from pg_stat_activity
  where pid <> pg_backend_pid() and datname = current_database()`;

/** `isAbrupt`: a server is killed instead of stopped. */
export async function haveOutage(
  deps: OutageDeps,
  outage: Outage,
  lengthMs: number,
  isAbrupt: boolean,
): Promise<void> {
  const how = isAbrupt ? 'kill' : 'stop';
  const wait = () => pause(systemTimers, lengthMs);
  switch (outage) {
    case 'broker':
      return whileDown('kafka', how, wait);
    case 'registry':
      return whileDown('registry', how, wait);
    case 'redis':
      return whileDown('redis', how, wait);
    case 'postgres-restart':
      return whileDown('postgres', how, wait);
    case 'postgres-terminate':
      return terminateFor(deps.world, lengthMs);
    case 'provider-refuses':
      await deps.door.shut();
      await wait();
      return deps.door.open();
    case 'provider-hangs':
      return whileMisbehaving(deps.world.vendor, 'hang', wait);
    case 'provider-cuts':
      return whileMisbehaving(deps.world.vendor, 'cut', wait);
  }
}

/** Every connection to the database, again and again: new ones do not live long either. */
async function terminateFor(world: RealWorld, lengthMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < lengthMs; passedMs += TERMINATE_EVERY_MS) {
    await world.query(TERMINATE);
    await pause(systemTimers, TERMINATE_EVERY_MS);
  }
}

/** Of the calls that get no answer, every other one was delivered all the same. */
async function whileMisbehaving(
  vendor: HttpVendor,
  how: 'hang' | 'cut',
  body: () => Promise<void>,
): Promise<void> {
  vendor.rule(({ reference, attempt }) => {
    const delivers = fractionOf(`${reference}/${attempt}`) < 0.5;
    return how === 'hang' ? { kind: 'hang', delivers } : { kind: 'cut', when: 'before-answer', delivers };
  });
  try {
    await body();
  } finally {
    vendor.rule(null);
  }
}

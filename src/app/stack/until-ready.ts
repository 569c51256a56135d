// Waits for a server to answer its probe, and gives up at once when its process ends.
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../runtime/fault.ts';

const POLL_MS = 40;
const READY_LIMIT_MS = 90_000;

export interface Awaited {
  readonly name: string;
  isReady(): Promise<boolean>;
  /** What is known about its end, once it has ended; null while it runs. */
  ended(): string | null;
}

/** Returns the milliseconds it took. @throws Fault PIN_STACK_SERVER_FAILED */
export async function untilReady(server: Awaited): Promise<number> {
  const startedMs = performance.now();
  while (!(await server.isReady())) {
    const end = server.ended();
    if (end !== null) throw failed(`${server.name} ended while starting: ${end}`);
    if (performance.now() - startedMs > READY_LIMIT_MS) {
      throw failed(`${server.name} did not answer within ${READY_LIMIT_MS / 1000} s`);
    }
    await pause(POLL_MS);
  }
  return performance.now() - startedMs;
}

function failed(message: string): Fault {
  return new Fault('PIN_STACK_SERVER_FAILED', message, { retriable: true });
}

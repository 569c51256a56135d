// kafkajs 2.2.4 keeps a 1 ms timer going for each connection that once had an answer, even when nothing waits to be sent: about 1,400
// timers a second for an idle consumer. The check is needed only while requests wait, and putting one in the queue starts it again; so
// the guard skips it for an empty queue. It never changes what is sent. A package of another shape is left alone, which is logged.
import { createRequire } from 'node:module';
import type { Logger } from '../../runtime/logger.ts';

const GUARD = Symbol.for('pin.calm-request-queue');

interface Queue {
  pending?: unknown[];
  scheduleCheckPendingRequests?: (this: Queue) => void;
  [GUARD]?: true;
}

/** Puts the guard on, once per process. */
export function calmRequestQueue(logger: Logger): void {
  const queue = queuePrototype();
  const check = queue?.scheduleCheckPendingRequests;
  if (queue === null || check === undefined) {
    logger.debug('kafka.idle-guard-unavailable');
    return;
  }
  if (queue[GUARD] === true) return;
  queue[GUARD] = true;
  queue.scheduleCheckPendingRequests = function (this: Queue) {
    if (this.pending?.length !== 0) check.call(this);
  };
}

function queuePrototype(): Queue | null {
  try {
    const loaded: unknown = createRequire(import.meta.url)('kafkajs/src/network/requestQueue');
    return typeof loaded === 'function' ? (loaded.prototype as Queue) : null;
  } catch {
    return null;
  }
}

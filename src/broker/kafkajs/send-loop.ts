// One batch in flight, and batches begin a few milliseconds apart: what comes meanwhile goes together as the next one. Owns the queue between `send` and the batch sender.
import type { Fault } from '../../runtime/fault.ts';
import { soon } from '../../runtime/microtasks.ts';
import type { BatchSender } from './batch-sender.ts';
import type { RequestSpacing } from './request-spacing.ts';
import { type SendQueue, sendQueue, type Waiting } from './send-queue.ts';

export interface SendLoop extends Pick<SendQueue, 'reserve' | 'release'> {
  push(waiting: Waiting): void;
  /** Answers everything that still waits or is in flight. */
  abandon(error: Fault): void;
}

export function sendLoop(sender: BatchSender, spacing: RequestSpacing, closing: AbortSignal): SendLoop {
  const queue = sendQueue();
  let inFlight: readonly Waiting[] = [];
  let running = false;

  const run = async () => {
    for (let batch = queue.take(); batch.length > 0 && !closing.aborted; batch = queue.take()) {
      inFlight = batch;
      spacing.started();
      await sender.send(batch).catch((error: unknown) => {
        if (!closing.aborted) throw error;
      });
      inFlight = [];
      await spacing.rest(closing);
    }
    running = false;
  };

  return {
    reserve: queue.reserve,
    release: queue.release,
    push(waiting) {
      queue.push(waiting);
      if (running) return;
      running = true;
      // A turn later, so that records of one burst go together.
      soon(() => void run());
    },
    abandon(error) {
      for (const waiting of [...inFlight, ...queue.drain()]) waiting.refuse(error);
    },
  };
}

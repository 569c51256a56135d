// The batches of one source that are in flight: a few at once, so that one is read while another is acknowledged. A batch that failed is
// told to whoever starts the next one; what it held is taken over when its claim runs out.
import { type BatchDeps, relayBatch } from './batch.ts';
import type { Outbox } from './outbox.ts';
import type { Claimed } from './progress.ts';

export interface Flight {
  /** Waits for room, then works on the batch beside the others. @throws Fault of a batch before it */
  launch(claimed: readonly Claimed[]): Promise<void>;
  /** @throws Fault of a batch before */
  report(): void;
  /** Resolves when none is in flight. Never rejects. */
  idle(): Promise<void>;
}

const MAX_BATCHES = 3;

export function batchesInFlight(deps: BatchDeps, outbox: Outbox, checkAfterMs: number): Flight {
  const flying = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | null = null;
  const report = () => {
    const failed = failure;
    failure = null;
    if (failed !== null) throw failed.error;
  };
  return {
    report,
    async launch(claimed) {
      if (claimed.length === 0) return;
      const batch: Promise<void> = relayBatch(deps, outbox, claimed, checkAfterMs)
        .catch((error: unknown) => {
          failure = { error };
        })
        .finally(() => flying.delete(batch));
      flying.add(batch);
      while (flying.size >= MAX_BATCHES) await Promise.race(flying);
      report();
    },
    async idle() {
      await Promise.all(flying);
    },
  };
}

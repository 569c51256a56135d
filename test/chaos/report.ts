// The figures of a run: how often each thing was done, and the longest times that followed.
import type { RealWorld } from '../support/real-service.ts';

export interface Silence {
  /** The longest time in which a partition had no outcome, ms. */
  readonly partitionMs: number;
  /** The longest time until the vendor knew a key that the dead process cannot have seen, ms. It has the queue in it that gathered. */
  readonly keyMs: number;
}

export interface Report {
  count(what: string): void;
  /** Milliseconds from the end of an outage to the first outcome on every partition. */
  resumed(outage: string, ms: number): void;
  /** After a kill. */
  silence(silence: Silence): void;
  /** Milliseconds from the end of a stopped process to the first outcome on every partition. */
  handOver(ms: number): void;
  /** The whole run as lines for a person. */
  lines(world: RealWorld, run: RunFacts): Promise<readonly string[]>;
}

export interface RunFacts {
  readonly seed: string;
  readonly requests: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly told: { readonly webhooks: number; readonly commands: number };
}

export function chaosReport(): Report {
  const done = new Map<string, number>();
  const resumptions = new Map<string, number>();
  const silences: Silence[] = [];
  const handOvers: number[] = [];
  return {
    count: (what) => void done.set(what, (done.get(what) ?? 0) + 1),
    resumed: (outage, ms) => void resumptions.set(outage, Math.max(ms, resumptions.get(outage) ?? 0)),
    silence: (silence) => void silences.push(silence),
    handOver: (ms) => void handOvers.push(ms),
    async lines(world, { seed, requests, perSecond, seconds, told }) {
      const outcomes = world.seen.of(world.topics.dispatched).length;
      const { calls, delivered, repeats, rejected, dropped } = world.vendor.ledger.totals;
      const [resent] = await world.query(
        `select count(*) filter (where trail like '%resend=1%') as resent,
                count(*) filter (where trail like '%taken-over%') as taken_over from notifications`,
      );
      return [
        `chaos seed ${seed}: ${requests} requests in ${seconds} s (asked for ${perSecond}/s)`,
        `done: ${entriesOf(done)}`,
        `resumed after, at most: ${entriesOf(resumptions, ' ms')}`,
        `longest silence after a kill of one of two: ${silences.map(({ partitionMs, keyMs }) => `partition ${partitionMs} ms, key ${keyMs} ms`).join('; ')}`,
        `work elsewhere after a graceful stop: ${handOvers.join(', ')} ms`,
        `calls ${calls}: delivered ${delivered}, repeats ${repeats}, rejected ${rejected}, dropped ${dropped}`,
        `webhooks told ${told.webhooks}, commands told ${told.commands}`,
        `records of outcomes on the topic: ${outcomes}`,
        `possible duplicates ${String(resent?.['resent'])}, taken over ${String(resent?.['taken_over'])}`,
      ];
    },
  };
}

function entriesOf(counts: ReadonlyMap<string, number>, unit = ''): string {
  return [...counts].map(([name, count]) => `${name} ${count}${unit}`).join(', ');
}

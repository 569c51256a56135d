// S14 for what operators order: a process that knows of a pause, or of a gate that they closed, claims nothing against it.
import { isClosedAt } from '../../domain/operator-gate.ts';
import { coveringPause } from '../../domain/pause.ts';
import type { Stage } from '../stage.ts';
import type { Transition } from '../witness.ts';

/** From the decision to the commit: slow answers, and flushes that ride over a short outage. */
const DECIDED_WITHIN_MS = 18_000;
/** A closing that ends soon may be over by a process' estimate of the store's clock. */
const SURELY_CLOSED_MS = 20_000;

export function orderInvariants(stage: Stage): void {
  const { world, witness } = stage;
  witness.onTransition((transition) => {
    const { before, after } = transition;
    if (after.claim === null || after.claim.token === before?.claim?.token) return;
    const sinceMs = orderedSince(stage, transition, after.claim.providerKey);
    const knownMs = sinceMs === null ? null : knownFor(stage, transition, sinceMs);
    if (knownMs !== null && knownMs > DECIDED_WITHIN_MS)
      world.violate(
        'S14 no claim against an order',
        `${after.id.slice(-2)} by ${transition.by}: it knows for ${knownMs} ms of a pause or a closed gate`,
      );
  });
}

/** Since when an order stands against this claim; null: none does. */
function orderedSince(
  { asked, database }: Stage,
  { after, atMs }: Transition,
  providerKey: string,
): number | null {
  const templateKey = asked.get(after.id)?.payloads[0]?.template?.key ?? null;
  const key = coveringPause({ ...after, templateKey }, database.pauses);
  const pause = key === null ? undefined : database.pauses.get(key);
  if (pause !== undefined) return pause.sinceMs;
  const gate = database.gates.get(providerKey);
  return gate !== undefined && isClosedAt(gate, atMs + SURELY_CLOSED_MS) ? gate.changedAtMs : null;
}

/** The first answer after the order may have been read before it: the second was not. A process that stands still learns nothing. */
function knownFor({ witness }: Stage, { process, atMs }: Transition, sinceMs: number): number | null {
  if (process === null) return null;
  const [, heardAtMs] = witness.configsSeenBy(process).filter((ms) => ms > sinceMs);
  return heardAtMs === undefined ? null : atMs - Math.max(heardAtMs, process.thawedAtMs() ?? 0);
}

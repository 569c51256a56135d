// S14 for what operators order: a process that knows of a pause, or of a gate that they closed, claims nothing against it.
import { isClosedAt } from '../../domain/operator-gate.ts';
import { coveringPause } from '../../domain/pause.ts';
import type { Stage } from '../stage.ts';
import type { Transition } from '../witness.ts';

/** A closing that ends soon may be over by a process' estimate of the store's clock. */
const SURELY_CLOSED_MS = 20_000;

export function orderInvariants(stage: Stage): void {
  const { world, witness } = stage;
  witness.onTransition((transition) => {
    const { before, after } = transition;
    if (after.claim === null || after.claim.token === before?.claim?.token) return;
    const order = orderAgainst(stage, transition, after.claim.providerKey);
    if (order !== null)
      world.violate(
        'S14 no claim against an order',
        `${after.id.slice(-2)} by ${transition.by}: it knew of ${order}`,
      );
  });
}

/** What its process knew of when it decided on this claim; null: nothing was against it. */
function orderAgainst(
  { asked }: Stage,
  { after, atMs, known }: Transition,
  providerKey: string,
): string | null {
  if (known === null) return null;
  const templateKey = asked.get(after.id)?.payloads[0]?.template?.key ?? null;
  const pauses = new Map(known.pauses.map((pause) => [pause.key, pause]));
  const pause = coveringPause({ templateKey, ...after }, pauses);
  if (pause !== null) return `the pause of ${pause}`;
  const gate = known.gates.find((one) => one.providerKey === providerKey);
  return gate !== undefined && isClosedAt(gate, atMs + SURELY_CLOSED_MS) ? 'a closed gate' : null;
}

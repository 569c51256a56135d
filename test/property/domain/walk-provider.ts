// The provider of a walk: what a call does to the ledger, and what it and a lookup answer. It keeps promises as `key` and `replace` providers do.
import type { CallOutcome, LookupAnswer } from '../../../src/domain/call-outcome.ts';
import { capabilityOf, type Fate, type Walk, type WalkCall } from './walk-state.ts';

export const RETRY_AFTER_MS = 1_200_000;

/** The provider's side: whether this call puts out a message, and what it answers. */
export function serve(walk: Walk, call: WalkCall, fate: Fate): CallOutcome {
  const { windowMs } = walk.setup;
  const capability = capabilityOf(walk, call.providerKey);
  const accept = () => {
    const known = walk.messages.findLast(
      ({ providerKey, atMs, cycle }) =>
        cycle === call.cycle &&
        providerKey === call.providerKey &&
        (windowMs === null || walk.nowMs - atMs < windowMs),
    );
    if (known !== undefined && capability === 'key') return known.id;
    if (known !== undefined && capability === 'replace') known.isReplaced = true;
    const id = `m-${walk.messages.length + 1}`;
    const { providerKey, cycle, attempt } = call;
    walk.messages.push({
      ...{ id, providerKey, atMs: walk.nowMs, cycle, attempt },
      ...{ isReplaced: false, verdict: 'accepted' },
    });
    return id;
  };
  switch (fate) {
    case 'accept':
      return { kind: 'accepted', providerMessageId: accept() };
    case 'accept-lost':
      accept();
      return { kind: 'unknown', phase: 'sent', providerCode: null };
    case 'refuse-lost':
      return { kind: 'unknown', phase: 'answer-lost', providerCode: null };
    case 'rate-limited':
      return { kind: 'rate-limited', retryAfterMs: RETRY_AFTER_MS, scope: 'message', providerCode: '429' };
    case 'refused':
      return { kind: 'refused', code: 'NTF_PROVIDER_INVALID_RECIPIENT', providerCode: '550' };
    case 'not-implemented':
      return { kind: 'not-implemented' };
    default:
      return { kind: fate, providerCode: null };
  }
}

/** By our reference; a message shows itself only after the provider's visibility delay. */
export function answerLookUp(walk: Walk, providerKey: string, isUnavailable: boolean): LookupAnswer {
  if (isUnavailable) return { kind: 'unavailable', providerCode: null };
  const visible = walk.messages.find(
    (message) =>
      message.providerKey === providerKey &&
      message.cycle === walk.row?.cycle &&
      message.atMs + walk.setup.visibilityDelayMs <= walk.nowMs,
  );
  return visible === undefined ? { kind: 'absent' } : { kind: 'found', providerMessageId: visible.id };
}

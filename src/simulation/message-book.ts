// The messages that one vendor put out, and what it makes of a key that it knows: a repeat adds none, or takes the place of the first.
import type { CallOutcome, ProviderFacts } from '../domain/call-outcome.ts';
import type { LedgerCall, LedgerMessage } from './ledger.ts';
import type { VendorParts } from './vendor-parts.ts';

export interface MessageBook {
  /** Within the window that the vendor keeps keys and references for, from the first delivery. */
  known(idempotencyKey: string): LedgerMessage | undefined;
  deliver(entry: LedgerCall, recipient: string): CallOutcome;
}

export function messageBook({ world, ledger, onMessage }: VendorParts, facts: ProviderFacts): MessageBook {
  const { providerKey, capability, windowMs } = facts;
  const isFresh = ({ atMs }: LedgerMessage) => windowMs === null || world.time.nowMs() - atMs < windowMs;
  const known = (idempotencyKey: string) =>
    ledger.messages.findLast(
      (message) =>
        message.providerKey === providerKey && message.idempotencyKey === idempotencyKey && isFresh(message),
    );
  return {
    known,
    deliver(entry, recipient) {
      const { reference, cycle, attempt, idempotencyKey } = entry;
      const earlier = known(idempotencyKey);
      if (earlier !== undefined && capability === 'key') {
        world.tell(providerKey, () => `knows this key: ${earlier.messageId}`);
        return { kind: 'accepted', providerMessageId: earlier.messageId };
      }
      if (earlier !== undefined && capability === 'replace') earlier.isReplaced = true;
      const messageId = `${providerKey}-${ledger.messages.length + 1}`;
      const made = { messageId, atMs: world.time.nowMs(), reference, cycle, attempt, providerKey };
      const message: LedgerMessage = {
        idempotencyKey,
        recipient,
        isReplaced: false,
        verdict: 'accepted',
        ...made,
      };
      ledger.messages.push(message);
      world.tell(providerKey, () => `puts out ${messageId} for ${reference.slice(-2)}/${cycle}`);
      onMessage(message);
      return { kind: 'accepted', providerMessageId: messageId };
    },
  };
}

// What the vendor does with a call once it has read it: repeats, conflicts, delivery, and the entry in the ledger.
// It never looks at bytes and never writes any.
import { deliversMessage, outcomeWithoutDelivery, type VendorAnswer } from './vendor-answer.ts';
import type { VendorCall, VendorLedger } from './vendor-ledger.ts';
import type { RememberedMessage, VendorMemory } from './vendor-memory.ts';
import type { AskedCall } from './vendor-plan.ts';

export type VendorCapability = 'key' | 'lookup' | 'replace' | 'none';

interface Decision {
  readonly answer: VendorAnswer;
  /** What a success names. */
  readonly messageId: string;
  /** To be called when the answer is out or the caller is gone. */
  close(): void;
}

export interface VendorDesk {
  /** Does what `answer` orders, unless the same key is still being answered. */
  take(call: AskedCall, idempotencyKey: string, answer: VendorAnswer): Decision;
  /** A call whose body nobody read. */
  drop(reference: string, cycle: number, idempotencyKey: string, answer: VendorAnswer): void;
  /** The message of a reference and cycle, once it can be seen. */
  find(reference: string, cycle: number): string | null;
}

export interface DeskSettings {
  readonly capability: VendorCapability;
  /** How long a delivered message stays invisible to lookups. */
  readonly visibleAfterMs: number;
  readonly idPrefix: string;
}

const KEY_IN_USE: VendorAnswer = { kind: 'error', status: 409, code: 'in_progress', retriable: true };
const nothing = () => undefined;

export function vendorDesk(
  deps: { readonly ledger: VendorLedger; readonly memory: VendorMemory; readonly nowMs: () => number },
  settings: DeskSettings,
): VendorDesk {
  const { ledger, memory, nowMs } = deps;
  const recallsKeys = settings.capability === 'key' || settings.capability === 'replace';
  const busyKeys = new Set<string>();
  let lastMessage = 0;
  const deliver = (idempotencyKey: string): { id: string; isNew: boolean } => {
    const known = memory.recall(idempotencyKey, nowMs());
    if (known !== null && recallsKeys) return { id: known.messageId, isNew: false };
    lastMessage += 1;
    const id = `${settings.idPrefix}${lastMessage}`;
    memory.remember(idempotencyKey, { messageId: id, atMs: nowMs() });
    return { id, isNew: true };
  };
  const hold = (idempotencyKey: string) => {
    if (settings.capability !== 'key') return nothing;
    busyKeys.add(idempotencyKey);
    return () => void busyKeys.delete(idempotencyKey);
  };
  return {
    take(call, idempotencyKey, ordered) {
      const isBusy = busyKeys.has(idempotencyKey);
      const answer = isBusy ? KEY_IN_USE : ordered;
      const message = deliversMessage(answer) ? deliver(idempotencyKey) : null;
      const entry: VendorCall = {
        atMs: nowMs(),
        reference: call.reference,
        cycle: call.cycle,
        attempt: call.attempt,
        idempotencyKey,
        channel: call.channel,
        recipient: call.recipient,
        outcome: outcomeOf(answer, message),
        messageId: message?.id ?? null,
        answer: answer.kind,
      };
      ledger.record(entry, message?.isNew === true ? messageOf(call, entry, message.id) : null);
      return {
        answer,
        messageId: message?.id ?? 'none',
        close: isBusy ? nothing : hold(idempotencyKey),
      };
    },
    drop(reference, cycle, idempotencyKey, answer) {
      const unread = { attempt: null, channel: null, recipient: null, messageId: null };
      const outcome = outcomeWithoutDelivery(answer);
      ledger.record(
        { atMs: nowMs(), reference, cycle, idempotencyKey, ...unread, outcome, answer: answer.kind },
        null,
      );
    },
    find(reference, cycle) {
      const message: RememberedMessage | null = memory.recall(`${reference}:${cycle}`, nowMs());
      const isVisible = message !== null && nowMs() - message.atMs >= settings.visibleAfterMs;
      return isVisible ? message.messageId : null;
    },
  };
}

function outcomeOf(answer: VendorAnswer, message: { isNew: boolean } | null): VendorCall['outcome'] {
  if (message === null) return outcomeWithoutDelivery(answer);
  return message.isNew ? 'delivered' : 'repeat-of';
}

function messageOf(call: AskedCall, entry: VendorCall, messageId: string) {
  const { reference, cycle, channel, recipient } = call;
  return {
    messageId,
    atMs: entry.atMs,
    reference,
    cycle,
    idempotencyKey: entry.idempotencyKey,
    channel,
    recipient,
  };
}

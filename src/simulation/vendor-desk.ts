// What a vendor does with a call: put a message out or not, now or late, and say so or not. It honours the idempotency key for the
// declared window from the first delivery, and shows a message to look-ups after the declared delay.
import type { CallOutcome, LookupAnswer, ProviderFacts } from '../domain/call-outcome.ts';
import type { Channel } from '../domain/channel.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { ProviderCall } from '../providers/provider.ts';
import { DICE } from './faults.ts';
import type { LedgerCall } from './ledger.ts';
import { messageBook } from './message-book.ts';
import type { VendorParts } from './vendor-parts.ts';

export interface VendorDesk {
  readonly facts: ProviderFacts;
  entryOf(by: string, call: ProviderCall, askedAtMs: number): LedgerCall;
  /** `say` is called once, or never when the vendor hangs. */
  take(entry: LedgerCall, call: ProviderCall, say: (outcome: CallOutcome) => void): void;
  lookUp(reference: NotificationId, cycle: number): LookupAnswer;
}

/** By the choice of die `call`. */
const WAYS = ['accept', ...DICE.call] as const;
type Way = (typeof WAYS)[number];

const RETRY_AFTERS_MS = [null, 1_000, 6_000, 25_000];
/** The vendor is done right before the caller gives up, or a good while before. */
const LAST_MOMENT_MS = 2;
const SLOW_SHARE = 0.6;
const CUT: CallOutcome = { kind: 'unknown', phase: 'answer-lost', providerCode: 'reset' };
const IN_PROGRESS: CallOutcome = { kind: 'transient', providerCode: 'in-progress' };

const UNANSWERED = {
  said: null,
  saidAtMs: 0,
  retryAfterMs: null,
  isHeard: false,
  isInTime: false,
  messageId: null,
};

export function vendorDesk(parts: VendorParts, facts: ProviderFacts): VendorDesk {
  const { world, ledger } = parts;
  const { providerKey, capability, deadlineMs, visibilityDelayMs } = facts;
  const book = messageBook(parts, facts);
  const openKeys = new Set<string>();
  const told = (entry: LedgerCall, way: Way, outcome: CallOutcome, say: (outcome: CallOutcome) => void) => {
    entry.said = outcome.kind;
    entry.saidAtMs = world.time.nowMs();
    if (outcome.kind === 'rate-limited') entry.retryAfterMs = outcome.retryAfterMs;
    if (outcome.kind === 'accepted') entry.messageId = outcome.providerMessageId;
    const about = `${entry.by} about ${entry.reference.slice(-2)}`;
    world.tell(providerKey, () => `answers ${about}: ${outcome.kind} (${way})`);
    say(outcome);
  };
  return {
    facts,
    entryOf(by, call, askedAtMs) {
      const entry = { atMs: world.time.nowMs(), askedAtMs, by, providerKey, ...callOf(call), ...UNANSWERED };
      ledger.calls.push(entry);
      return entry;
    },
    take(entry, call, say) {
      const way = WAYS[world.dice.roll('call', capability)] ?? 'accept';
      const { idempotencyKey } = call;
      if (openKeys.has(idempotencyKey) && capability === 'key') return told(entry, way, IN_PROGRESS, say);
      openKeys.add(idempotencyKey);
      const after = (ms: number, decide: () => CallOutcome | null) =>
        void world.time.after(ms, () => {
          openKeys.delete(idempotencyKey);
          const outcome = decide();
          if (outcome !== null) told(entry, way, outcome, say);
        });
      const accept = () => book.deliver(entry, call.recipient);
      const refuse = () =>
        refusal(way, call.channel, () => RETRY_AFTERS_MS[world.tape.pick(RETRY_AFTERS_MS.length)] ?? null);
      const acceptInSilence = () => {
        accept();
        return null;
      };
      switch (way) {
        case 'accept':
          return after(0, accept);
        case 'slow':
          return after(deadlineMs * SLOW_SHARE, accept);
        case 'accepted-too-late':
          return after(deadlineMs - LAST_MOMENT_MS, acceptInSilence);
        case 'hangs':
          return after(deadlineMs - LAST_MOMENT_MS, () => null);
        case 'accepted-answer-cut':
          return after(0, () => (acceptInSilence() === null ? CUT : null));
        default:
          return after(0, refuse);
      }
    },
    lookUp(reference, cycle) {
      if (capability !== 'lookup') return { kind: 'unavailable', providerCode: null };
      const found = book.known(`${reference}:${cycle}`);
      const isVisible = found !== undefined && found.atMs + visibilityDelayMs <= world.time.nowMs();
      return isVisible ? { kind: 'found', providerMessageId: found.messageId } : { kind: 'absent' };
    },
  };
}

function callOf({ reference, cycle, attempt, idempotencyKey }: ProviderCall) {
  return { reference, cycle, attempt, idempotencyKey };
}

function refusal(way: Way, channel: Channel, retryAfterMs: () => number | null): CallOutcome {
  switch (way) {
    case 'transient':
      return { kind: 'transient', providerCode: '503' };
    case 'unclassified':
      return { kind: 'transient', providerCode: 'E77', isUnclassified: true };
    case 'refused':
      return {
        kind: 'refused',
        code: channel === 'push' ? 'NTF_PUSH_TOKEN_INVALID' : 'NTF_PROVIDER_INVALID_RECIPIENT',
        providerCode: 'bad',
      };
    case 'blocked':
      return { kind: 'refused', code: 'NTF_PROVIDER_BLOCKED', providerCode: 'spam' };
    case 'rate-limited':
      return { kind: 'rate-limited', retryAfterMs: retryAfterMs(), scope: 'message', providerCode: '429' };
    case 'rate-limited-all':
      return { kind: 'rate-limited', retryAfterMs: retryAfterMs(), scope: 'provider', providerCode: '429' };
    case 'misconfigured':
      return { kind: 'misconfigured', providerCode: '401' };
    default:
      return CUT;
  }
}

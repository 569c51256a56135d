// What a vendor does with a call: put a message out or not, now or late, and say so or not. It honours the idempotency key for the
// declared window from the first delivery, and shows a message to look-ups after the declared delay.
import type { CallOutcome, LookupAnswer, ProviderFacts } from '../domain/call-outcome.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { ProviderCall } from '../providers/provider.ts';
import type { LedgerCall, LedgerMessage } from './ledger.ts';
import type { VendorParts } from './vendor.ts';

export interface VendorDesk {
  readonly facts: ProviderFacts;
  entryOf(by: string, call: ProviderCall): LedgerCall;
  /** `say` is called once, or never when the vendor hangs. */
  take(entry: LedgerCall, call: ProviderCall, say: (outcome: CallOutcome) => void): void;
  lookUp(reference: NotificationId, cycle: number): LookupAnswer;
}

/** By the choice of die `call`. */
const WAYS = [
  'accept',
  'transient',
  'refused',
  'blocked',
  'rate-limited',
  'rate-limited-all',
  'misconfigured',
  'accepted-answer-cut',
  'not-accepted-answer-cut',
  'accepted-too-late',
  'hangs',
  'slow',
  'unclassified',
] as const;
type Way = (typeof WAYS)[number];

const RETRY_AFTERS_MS = [null, 1_000, 6_000, 25_000];
const CUT: CallOutcome = { kind: 'unknown', phase: 'answer-lost', providerCode: 'reset' };
const IN_PROGRESS: CallOutcome = { kind: 'transient', providerCode: 'in-progress' };

export function vendorDesk(parts: VendorParts, facts: ProviderFacts): VendorDesk {
  const { world, ledger } = parts;
  const { providerKey, capability, windowMs, deadlineMs, visibilityDelayMs } = facts;
  const openKeys = new Set<string>();
  const isFresh = ({ atMs }: LedgerMessage) => windowMs === null || world.time.nowMs() - atMs < windowMs;
  const known = (key: string) =>
    ledger.messages.findLast(
      (message) => message.providerKey === providerKey && message.idempotencyKey === key && isFresh(message),
    );
  const deliver = (entry: LedgerCall, call: ProviderCall): CallOutcome => {
    const earlier = known(call.idempotencyKey);
    if (earlier !== undefined && capability === 'key') {
      world.tell(providerKey, () => `knows key …${entry.idempotencyKey.slice(-4)}: ${earlier.messageId}`);
      return { kind: 'accepted', providerMessageId: earlier.messageId };
    }
    if (earlier !== undefined && capability === 'replace') earlier.isReplaced = true;
    const messageId = `${providerKey}-${ledger.messages.length + 1}`;
    const { reference, cycle, attempt, idempotencyKey } = entry;
    ledger.messages.push({
      messageId,
      atMs: world.time.nowMs(),
      reference,
      cycle,
      attempt,
      providerKey,
      idempotencyKey,
      recipient: call.recipient,
      isReplaced: false,
      hasFailed: false,
    });
    world.tell(providerKey, () => `puts out ${messageId} for ${reference.slice(-2)}/${cycle}`);
    return { kind: 'accepted', providerMessageId: messageId };
  };
  return {
    facts,
    entryOf(by, { reference, cycle, attempt, idempotencyKey }) {
      const atMs = world.time.nowMs();
      const unsaid = { said: null, saidAtMs: 0, retryAfterMs: null, isHeard: false };
      const entry = { atMs, by, reference, cycle, attempt, providerKey, idempotencyKey, ...unsaid };
      ledger.calls.push(entry);
      return entry;
    },
    take(entry, call, say) {
      const way = WAYS[world.dice.roll('call', capability)] ?? 'accept';
      const told = (outcome: CallOutcome) => {
        entry.said = outcome.kind;
        entry.saidAtMs = world.time.nowMs();
        if (outcome.kind === 'rate-limited') entry.retryAfterMs = outcome.retryAfterMs;
        world.tell(
          providerKey,
          () => `answers ${entry.by} about ${entry.reference.slice(-2)}: ${outcome.kind} (${way})`,
        );
        say(outcome);
      };
      if (openKeys.has(call.idempotencyKey) && capability === 'key') return told(IN_PROGRESS);
      openKeys.add(call.idempotencyKey);
      const close = () => openKeys.delete(call.idempotencyKey);
      const accept = () => {
        close();
        return deliver(entry, call);
      };
      if (way === 'slow') return void world.time.after(deadlineMs * 0.6, () => told(accept()));
      if (way === 'accepted-too-late') return void world.time.after(deadlineMs - 2, () => void accept());
      if (way === 'hangs') return void world.time.after(deadlineMs - 2, close);
      if (way === 'accepted-answer-cut') {
        accept();
        return told(CUT);
      }
      close();
      told(
        way === 'accept'
          ? deliver(entry, call)
          : refusal(way, () => RETRY_AFTERS_MS[world.tape.pick(4)] ?? null),
      );
    },
    lookUp(reference, cycle) {
      if (capability !== 'lookup') return { kind: 'unavailable', providerCode: null };
      const found = known(`${reference}:${cycle}`);
      const isVisible = found !== undefined && found.atMs + visibilityDelayMs <= world.time.nowMs();
      return isVisible ? { kind: 'found', providerMessageId: found.messageId } : { kind: 'absent' };
    },
  };
}

type Refusal = Exclude<Way, 'accept' | 'slow' | 'accepted-too-late' | 'hangs' | 'accepted-answer-cut'>;

function refusal(way: Refusal, retryAfterMs: () => number | null): CallOutcome {
  switch (way) {
    case 'transient':
      return { kind: 'transient', providerCode: '503' };
    case 'unclassified':
      return { kind: 'transient', providerCode: 'E77', isUnclassified: true };
    case 'refused':
      return { kind: 'refused', code: 'NTF_PROVIDER_INVALID_RECIPIENT', providerCode: 'bad' };
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

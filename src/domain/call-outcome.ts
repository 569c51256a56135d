// What one provider call came to. Three families: certain success, certain failure, and `unknown` (it may have been accepted).
// Anything lost after the request body left is `unknown`, never `transient`.
import type { RefusalCode } from './codes.ts';

export type CallOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'transient'; readonly providerCode: string | null; readonly isUnclassified?: boolean }
  | {
      readonly kind: 'rate-limited';
      /** Counts in full, beyond the backoff cap. */
      readonly retryAfterMs: number | null;
      /** `provider`: everybody's calls are limited, so its gate closes. */
      readonly scope: 'message' | 'provider';
      readonly providerCode: string | null;
    }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly providerCode: string | null }
  /** Credentials, billing, sender: the channel's fault; uses no attempt and closes the provider's gate. */
  | { readonly kind: 'misconfigured'; readonly providerCode: string | null }
  | {
      readonly kind: 'unknown';
      /** `sent`: the body left, no answer; `answer-lost`: an answer began and broke; `lease-over`: nobody recorded one. */
      readonly phase: 'sent' | 'answer-lost' | 'lease-over';
      readonly providerCode: string | null;
    }
  | { readonly kind: 'not-implemented' };

/** What a provider says when asked by our reference. */
export type LookupAnswer =
  | { readonly kind: 'found'; readonly providerMessageId: string }
  | { readonly kind: 'absent' }
  /** The question itself failed; nothing is known. */
  | { readonly kind: 'unavailable'; readonly providerCode: string | null };

/** How a provider can tell whether a lost call was accepted, or make a repeat harmless. */
export type Capability = 'key' | 'lookup' | 'replace' | 'none';

/** What an adapter instance declares about itself; read at decision time. */
export interface ProviderFacts {
  readonly providerKey: string;
  readonly capability: Capability;
  /** How long `key` or `lookup` can be relied on after the first call; null = for ever. */
  readonly windowMs: number | null;
  /** A lookup's `absent` counts only this long after the lease end. */
  readonly visibilityDelayMs: number;
  /** One deadline for the whole call. */
  readonly deadlineMs: number;
  readonly maxConcurrency: number;
  /** null = no rate limit. */
  readonly ratePerSecond: number | null;
  readonly isStub: boolean;
  /** True: its webhooks always say our reference. Else the messages that it accepts are remembered by their own ids. */
  readonly echoesReference?: boolean;
}

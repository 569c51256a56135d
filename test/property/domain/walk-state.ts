// The state of a random walk: one notification, the calls that were made for it, and a provider with a ledger. Plain data.
import type { CallOutcome, Capability, ProviderFacts } from '../../../src/domain/call-outcome.ts';
import type { ChannelConfig, OnUnknown } from '../../../src/domain/channel.ts';
import type { Notification, UnknownAttempt, Verdict } from '../../../src/domain/notification.ts';
import type { CommandKind } from '../../../src/domain/notification-command.ts';
import type { ProviderWebhook, WebhookVerdict } from '../../../src/domain/provider-webhook.ts';
import type { RuleFacts } from '../../../src/domain/rule-facts.ts';
import type { CallAnswer } from '../../../src/domain/settle.ts';
import { aConfig, aProvider, NOW_MS, someFacts } from '../../support/a-notification.ts';

export interface WalkSetup {
  /** `doubtful`: mostly calls that nobody hears of. `attempts`: whole attempts, with reports before their answers and after. */
  readonly style: 'any' | 'doubtful' | 'attempts';
  /** Whether the vendor echoes cycle and attempt; null: as it likes. */
  readonly echoes: boolean | null;
  readonly capability: Capability;
  /** Of the second provider. */
  readonly otherCapability: Capability;
  readonly windowMs: number | null;
  readonly visibilityDelayMs: number;
  readonly onUnknown: OnUnknown;
  /** True: the policy may be `resend` at some time, so a second message is the operator's wish. */
  readonly mayResend: boolean;
  readonly maxAttempts: number;
  readonly notBeforeInMs: number | null;
  readonly notAfterInMs: number | null;
  /** Before faults stop nothing happens for so long, and then this provider is the channel's. */
  readonly silenceMs: number;
  readonly lastProviderKey: string;
}

/** What the provider does with a call, and what of it reaches the caller. */
export type Fate =
  | 'accept'
  | 'accept-lost'
  | 'refuse-lost'
  | 'transient'
  | 'rate-limited'
  | 'refused'
  | 'misconfigured'
  | 'not-implemented';

export type Step =
  | { readonly kind: 'advance'; readonly ms: number }
  /** `until-due`: to the row's wake-up, then wake it. */
  | { readonly kind: 'wake'; readonly when: 'now' | 'until-due' | 'stale' }
  | { readonly kind: 'start'; readonly pick: number; readonly fate: Fate }
  /** All of one attempt: woken when due, called and answered. */
  | { readonly kind: 'attempt'; readonly fate: Fate }
  | { readonly kind: 'release' | 'answer' | 'die' | 'repeat'; readonly pick: number }
  | { readonly kind: 'look-up'; readonly isUnavailable: boolean }
  | { readonly kind: 'configure'; readonly over: Partial<ChannelConfig> | null }
  | { readonly kind: 'gate'; readonly closedForMs: number }
  | { readonly kind: 'publish'; readonly isMarked: boolean }
  | ReportStep
  | CommandStep
  | { readonly kind: 'draw'; readonly fraction: number };

export interface ReportStep {
  readonly kind: 'report';
  /** Of the messages that the provider has. */
  readonly pick: number;
  readonly verdict: WebhookVerdict;
  readonly isHard: boolean;
  /** Whether the vendor echoes cycle and attempt. */
  readonly echoes: boolean;
}

export interface CommandStep {
  readonly kind: 'command';
  readonly ask: CommandKind;
  readonly isForced: boolean;
  /** Added to the row's cycle; null: the actor names none. */
  readonly cycleOff: number | null;
  /** The id of an earlier command again. */
  readonly isRepeat: boolean;
}

/** A message of the provider's ledger, with the call that put it out. */
export interface WalkMessage {
  readonly id: string;
  readonly providerKey: string;
  readonly atMs: number;
  readonly cycle: number;
  readonly attempt: number;
  /** Another one took its place on the recipient's screen. */
  isReplaced: boolean;
  /** What the provider's reports came to so far. */
  verdict: Verdict;
}

export interface WalkCall {
  readonly token: string;
  readonly cycle: number;
  /** How many redrives came before: each starts a fresh budget. */
  readonly budget: number;
  readonly attempt: number;
  readonly providerKey: string;
  readonly takeovers: number;
  readonly claimedAtMs: number;
  /** Where its process is: not yet sent, sent and waiting, or gone. */
  state: 'unsent' | 'open' | 'gone';
  outcome: CallOutcome | null;
  /** What the row was told about it; a call that was never sent by a living process is `released`. */
  known: 'nothing' | 'failed' | 'accepted' | 'released';
  isGivenBack: boolean;
}

export interface Walk {
  readonly setup: WalkSetup;
  readonly calls: WalkCall[];
  readonly messages: WalkMessage[];
  readonly answered: CallAnswer[];
  /** Every report that was told, in its order. */
  readonly reports: ProviderWebhook[];
  readonly dispatched: Map<number, string>;
  readonly diary: string[];
  row: Notification | null;
  nowMs: number;
  config: ChannelConfig | null;
  gateOpensAtMs: number;
  fraction: number;
  lookingUp: { readonly providerKey: string; readonly unknown: UnknownAttempt } | null;
  retryAfterUntilMs: number;
  /** Messages that the row was told as accepted and not as failed, of the cycle that counts. */
  readonly accepted: Set<string>;
  readonly commandIds: string[];
  budget: number;
  /** What is being told, while a change of it is committed: only these may undo an end. */
  cause: 'failed-webhook' | 'redrive' | 'forced-redrive' | null;
}

export function startWalk(setup: WalkSetup): Walk {
  const walk: Walk = {
    setup,
    calls: [],
    messages: [],
    answered: [],
    reports: [],
    dispatched: new Map(),
    diary: [JSON.stringify(setup)],
    row: null,
    nowMs: NOW_MS,
    config: aConfig({ onUnknown: setup.onUnknown, maxAttempts: setup.maxAttempts }),
    gateOpensAtMs: 0,
    fraction: 0,
    lookingUp: null,
    retryAfterUntilMs: 0,
    accepted: new Set(),
    commandIds: [],
    budget: 0,
    cause: null,
  };
  return walk;
}

const OTHER_PROVIDER = 'mail-2';

export function capabilityOf({ setup }: Walk, providerKey: string): Capability {
  return providerKey === OTHER_PROVIDER ? setup.otherCapability : setup.capability;
}

function providersOf(walk: Walk): ProviderFacts[] {
  const { capability, otherCapability, windowMs, visibilityDelayMs } = walk.setup;
  const mail = aProvider({ capability, windowMs, visibilityDelayMs });
  const other = { ...mail, providerKey: OTHER_PROVIDER, capability: otherCapability };
  return [mail, other, { ...mail, providerKey: 'stub', isStub: true }];
}

export function factsOf(walk: Walk): RuleFacts {
  const leftMs = walk.gateOpensAtMs - walk.nowMs;
  return someFacts({
    nowMs: walk.nowMs,
    config: walk.config,
    providers: providersOf(walk),
    gate: leftMs > 0 ? { kind: 'closed', waitMs: leftMs } : { kind: 'open' },
    fraction: walk.fraction,
    claimToken: `token-${walk.calls.length + 1}`,
  });
}

export function note(walk: Walk, text: string): void {
  walk.diary.push(`+${walk.nowMs - NOW_MS} ${text}`);
}

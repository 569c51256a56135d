// Decides how the vendor answers a call: the plan of its reference first, then the rule, then the rules by share, else faithfully.
// A share is drawn from the seed and the call itself, so the same calls misbehave in every run, whatever order they come in.
import { ACCEPT, type VendorAnswer } from './vendor-answer.ts';

/** What a decision can look at. */
export interface AskedCall {
  readonly reference: string;
  readonly cycle: number;
  readonly attempt: number;
  readonly channel: string;
  readonly recipient: string;
}

/** Answers a call, or null: whatever comes next decides. */
export type VendorRule = (call: AskedCall) => VendorAnswer | null;

/** A rule as data. All conditions that are given must hold. */
export interface ShareRule {
  /** Of the calls that match, 0 to 1; all of them by default. */
  readonly share?: number;
  readonly channel?: string;
  readonly attempt?: number;
  readonly recipientContains?: string;
  readonly answer: VendorAnswer;
}

export interface VendorPlan {
  /** Adds answers for the next calls of one reference. */
  add(reference: string, answers: readonly VendorAnswer[]): void;
  setRule(rule: VendorRule | null): void;
  setShares(rules: readonly ShareRule[]): void;
  /** The next planned answer of a reference, left where it is. */
  peek(reference: string): VendorAnswer | null;
  /** The next planned answer of a reference; null when there is none. */
  takePlanned(reference: string): VendorAnswer | null;
  take(call: AskedCall): VendorAnswer;
  clear(): void;
}

export function vendorPlan(seed: number): VendorPlan {
  const planned = new Map<string, VendorAnswer[]>();
  let rule: VendorRule | null = null;
  let shares: readonly ShareRule[] = [];
  const takePlanned = (reference: string): VendorAnswer | null => {
    const queue = planned.get(reference);
    const answer = queue?.shift() ?? null;
    if (queue?.length === 0) planned.delete(reference);
    return answer;
  };
  return {
    add(reference, answers) {
      planned.set(reference, [...(planned.get(reference) ?? []), ...answers]);
    },
    setRule(next) {
      rule = next;
    },
    setShares(next) {
      shares = next;
    },
    peek: (reference) => planned.get(reference)?.[0] ?? null,
    takePlanned,
    take: (call) =>
      takePlanned(call.reference) ??
      rule?.(call) ??
      shares.find((candidate, index) => isHit(candidate, call, seed + index))?.answer ??
      ACCEPT,
    clear() {
      planned.clear();
      rule = null;
      shares = [];
    },
  };
}

function isHit(rule: ShareRule, call: AskedCall, seed: number): boolean {
  if (rule.channel !== undefined && rule.channel !== call.channel) return false;
  if (rule.attempt !== undefined && rule.attempt !== call.attempt) return false;
  if (rule.recipientContains !== undefined && !call.recipient.includes(rule.recipientContains)) return false;
  const share = rule.share ?? 1;
  return share >= 1 || fractionOf(`${seed}:${call.reference}:${call.cycle}:${call.attempt}`) < share;
}

/** A number in [0, 1) that depends on the text alone: FNV-1a, then a finaliser that spreads its bits. */
export function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

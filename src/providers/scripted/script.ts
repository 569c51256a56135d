// What a scripted provider is told to do: plain data, so that a test, the demo and the simulation can write it down and print it.
import type { CallOutcome } from '../../domain/call-outcome.ts';
import type { ProviderCall } from '../provider.ts';

export type ScriptStep =
  /** Delivers and answers with a fresh message id, or with the id of the first delivery where the capability makes a repeat safe. */
  | { readonly kind: 'accept' }
  /** Delivers, and the answer is lost on the way back. */
  | { readonly kind: 'accept-then-unknown' }
  /** Goes on with `then` when `until` settles; the request is already on its way. Without `until` it waits for `release()`. */
  | { readonly kind: 'wait'; readonly until?: Promise<unknown>; readonly then?: ScriptStep }
  /** As `wait`, but still connecting: `mayStart` is asked only after `until`. */
  | { readonly kind: 'connect-slowly'; readonly until?: Promise<unknown>; readonly then?: ScriptStep }
  /** Answers exactly this. `accepted` counts as a delivery under the id that it names. */
  | CallOutcome;

/** Chooses a step by the call; null: the next of the script, else the fallback. */
type ScriptRule = (call: ProviderCall) => ScriptStep | null;

export interface Script {
  /** Taken one per call, in the order of the calls. */
  readonly steps?: readonly ScriptStep[];
  /** Taken one per call of that reference; asked before `steps`. */
  readonly byReference?: Readonly<Record<string, readonly ScriptStep[]>>;
  /** Asked before everything else. */
  readonly rule?: ScriptRule;
  /** When the script is used up; `accept` by default. */
  readonly fallback?: ScriptStep;
}

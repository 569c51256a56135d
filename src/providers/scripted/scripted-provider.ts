// A provider that answers from a script, then from a fallback, and keeps a ledger of what it was asked and what it delivered.
// It serves tests, the embedded demo and the simulation. It never opens a socket, reads no clock and draws no random number.
import type { CallOutcome, LookupAnswer, ProviderFacts } from '../../domain/call-outcome.ts';
import type { Timers } from '../../runtime/timers.ts';
import type { Provider, ProviderCall, SendAnswer } from '../provider.ts';
import type { Script, ScriptStep } from './script.ts';

interface ScriptedCall {
  readonly call: ProviderCall;
  /** null while the call is open. */
  answer: SendAnswer | null;
  /** True when this call put a new message out. */
  hasDelivered: boolean;
}

interface ScriptedMessage {
  readonly providerMessageId: string;
  readonly reference: string;
  readonly cycle: number;
  readonly recipient: string;
}

export interface ScriptedProvider extends Provider {
  /** Every call that was asked for, in order; those that were not started are among them. */
  readonly calls: readonly ScriptedCall[];
  /** Every message that went out, in order. With capability `key` a repeat adds none. */
  readonly messages: readonly ScriptedMessage[];
  /** Adds steps to the end of the script. */
  addSteps(...steps: readonly ScriptStep[]): void;
  /** Adds steps for the calls of one reference. */
  addStepsFor(reference: string, ...steps: readonly ScriptStep[]): void;
  /** Lets every call that waits without an `until` go on. */
  release(): void;
  /** Calls that have no answer yet. */
  openCalls(): number;
}

/** A provider that is free, fast and keeps the idempotency key for ever. */
export const SCRIPTED_FACTS: ProviderFacts = {
  providerKey: 'scripted',
  capability: 'key',
  windowMs: null,
  visibilityDelayMs: 0,
  deadlineMs: 15_000,
  maxConcurrency: 64,
  ratePerSecond: null,
  isStub: false,
};

/**
 * Answers from `script`. With `timers`, a call still open at the deadline of `facts` answers `unknown` (`transient` while it
 * only connects); without, a waiting call waits until it is released, so that a test can hold it for as long as it likes.
 */
export function scriptedProvider(
  facts: ProviderFacts,
  script: Script = {},
  timers: Timers | null = null,
): ScriptedProvider {
  const ledger = openLedger(facts);
  const nextStep = stepsOf(script);
  const gate = openGate();

  const run = async (step: ScriptStep, entry: ScriptedCall): Promise<CallOutcome> => {
    if (step.kind === 'accept') return ledger.deliver(entry, null);
    if (step.kind === 'accepted') return ledger.deliver(entry, step.providerMessageId);
    if (step.kind === 'accept-then-unknown') {
      ledger.deliver(entry, null);
      return { kind: 'unknown', phase: 'answer-lost', providerCode: null };
    }
    if (step.kind !== 'wait' && step.kind !== 'connect-slowly') return step;
    await (step.until ?? gate.opened());
    return run(step.then ?? { kind: 'accept' }, entry);
  };

  const start = async (
    step: ScriptStep,
    entry: ScriptedCall,
    mayStart: () => boolean,
  ): Promise<SendAnswer> => {
    if (step.kind === 'connect-slowly') {
      const connected = (step.until ?? gate.opened()).then(() => true);
      const inTime = await beforeDeadline(timers, facts.deadlineMs, connected, false);
      if (!inTime) return { kind: 'transient', providerCode: 'connect-timeout' };
      return start(step.then ?? { kind: 'accept' }, entry, mayStart);
    }
    if (!mayStart()) return { kind: 'not-started' };
    const late: CallOutcome = { kind: 'unknown', phase: 'sent', providerCode: 'deadline' };
    return beforeDeadline<CallOutcome>(timers, facts.deadlineMs, run(step, entry), late);
  };

  return {
    facts,
    calls: ledger.calls,
    messages: ledger.messages,
    addSteps: nextStep.add,
    addStepsFor: nextStep.addFor,
    release: gate.open,
    openCalls: () => ledger.calls.filter((entry) => entry.answer === null).length,
    async send(call, mayStart) {
      const entry: ScriptedCall = { call, answer: null, hasDelivered: false };
      ledger.calls.push(entry);
      const answer = await start(nextStep.take(call), entry, mayStart);
      entry.answer = answer;
      return answer;
    },
    lookUp: (reference, cycle) => Promise.resolve(ledger.lookUp(reference, cycle)),
    close: () => Promise.resolve(gate.open()),
  };
}

function stepsOf(script: Script) {
  const steps = [...(script.steps ?? [])];
  const byReference = new Map<string, ScriptStep[]>(
    Object.entries(script.byReference ?? {}).map(([reference, own]) => [reference, [...own]]),
  );
  return {
    add: (...more: readonly ScriptStep[]): void => void steps.push(...more),
    addFor: (reference: string, ...more: readonly ScriptStep[]): void =>
      void byReference.set(reference, [...(byReference.get(reference) ?? []), ...more]),
    take: (call: ProviderCall): ScriptStep =>
      script.rule?.(call) ??
      byReference.get(call.reference)?.shift() ??
      steps.shift() ??
      script.fallback ?? { kind: 'accept' },
  };
}

function openLedger(facts: ProviderFacts) {
  const calls: ScriptedCall[] = [];
  const messages: ScriptedMessage[] = [];
  const idOfKey = new Map<string, string>();
  return {
    calls,
    messages,
    deliver(entry: ScriptedCall, namedId: string | null): CallOutcome {
      const { call } = entry;
      const earlier = idOfKey.get(call.idempotencyKey);
      const isRepeat = earlier !== undefined && facts.capability === 'key';
      if (isRepeat) return { kind: 'accepted', providerMessageId: earlier };
      const providerMessageId = namedId ?? `${facts.providerKey}-${messages.length + 1}`;
      messages.push({
        providerMessageId,
        reference: call.reference,
        cycle: call.cycle,
        recipient: call.recipient,
      });
      idOfKey.set(call.idempotencyKey, providerMessageId);
      entry.hasDelivered = true;
      return { kind: 'accepted', providerMessageId };
    },
    lookUp(reference: string, cycle: number): LookupAnswer {
      if (facts.capability !== 'lookup') return { kind: 'unavailable', providerCode: null };
      const providerMessageId = idOfKey.get(`${reference}:${cycle}`);
      return providerMessageId === undefined ? { kind: 'absent' } : { kind: 'found', providerMessageId };
    },
  };
}

/** Something to wait for until somebody opens it; every opening lets those waiting through and closes again. */
function openGate() {
  let waiting: (() => void)[] = [];
  return {
    opened: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    open(): void {
      const through = waiting;
      waiting = [];
      for (const resolve of through) resolve();
    },
  };
}

function beforeDeadline<T>(timers: Timers | null, deadlineMs: number, work: Promise<T>, late: T): Promise<T> {
  if (timers === null) return work;
  return new Promise((resolve) => {
    const cancel = timers.after(deadlineMs, () => resolve(late));
    void work.then((value) => {
      cancel();
      resolve(value);
    });
  });
}

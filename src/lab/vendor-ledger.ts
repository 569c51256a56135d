// What the lab's vendor was asked and what it delivered: the judge of every test about duplicates and losses. An entry is in the
// ledger (and in the file, when there is one) before the caller can see an answer.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Fault } from '../runtime/fault.ts';
import type { Timers } from '../runtime/timers.ts';

export interface VendorCall {
  readonly atMs: number;
  readonly reference: string;
  readonly cycle: number;
  /** null when the body was not read. */
  readonly attempt: number | null;
  readonly idempotencyKey: string;
  readonly channel: string | null;
  readonly recipient: string | null;
  /** `delivered`: a new message; `repeat-of`: one that was out already; `rejected`: told no; `dropped`: told nothing. */
  readonly outcome: 'delivered' | 'repeat-of' | 'rejected' | 'dropped';
  readonly messageId: string | null;
  /** The kind of answer that the vendor set out to give. */
  readonly answer: string;
}

interface VendorMessage {
  readonly messageId: string;
  readonly atMs: number;
  readonly reference: string;
  readonly cycle: number;
  readonly idempotencyKey: string;
  readonly channel: string;
  readonly recipient: string;
}

interface LedgerTotals {
  calls: number;
  delivered: number;
  repeats: number;
  rejected: number;
  dropped: number;
  lookups: number;
  /** Calls that are being answered, and the most there were at once. */
  open: number;
  peakOpen: number;
}

interface LedgerView {
  readonly calls: readonly VendorCall[];
  readonly messages: readonly VendorMessage[];
  readonly totals: Readonly<LedgerTotals>;
}

export interface VendorLedger extends LedgerView {
  readonly totals: LedgerTotals;
  record(call: VendorCall, message: VendorMessage | null): void;
  /** Looks at the waiting predicates again, after a change of the totals alone. */
  touch(): void;
  /**
   * Resolves when `predicate` holds; it is asked now and after every change.
   * @throws Fault PIN_LAB_WAITED when it does not within `limitMs`
   */
  waitFor(predicate: (ledger: LedgerView) => boolean, limitMs?: number): Promise<void>;
  clear(): void;
  close(): void;
}

/** Beyond it only the totals go on; a run that needs more reads the file. */
const MAX_ENTRIES = 1_000_000;
const DEFAULT_WAIT_LIMIT_MS = 10_000;
const NO_TOTALS: LedgerTotals = {
  calls: 0,
  delivered: 0,
  repeats: 0,
  rejected: 0,
  dropped: 0,
  lookups: 0,
  open: 0,
  peakOpen: 0,
};
const TOTAL_OF = {
  delivered: 'delivered',
  'repeat-of': 'repeats',
  rejected: 'rejected',
  dropped: 'dropped',
} as const;

/** `filePath`: every call is also appended there as a JSON line, in the kernel's hands before the answer leaves. */
export function vendorLedger(timers: Timers, filePath: string | null): VendorLedger {
  const calls: VendorCall[] = [];
  const messages: VendorMessage[] = [];
  const totals = { ...NO_TOTALS };
  const watchers = new Set<() => void>();
  const file = filePath === null ? null : openSync(filePath, 'a');
  const touch = () => {
    for (const watch of watchers) watch();
  };
  const ledger: VendorLedger = {
    calls,
    messages,
    totals,
    touch,
    record(call, message) {
      totals.calls += 1;
      totals[TOTAL_OF[call.outcome]] += 1;
      if (calls.length < MAX_ENTRIES) calls.push(call);
      if (message !== null && messages.length < MAX_ENTRIES) messages.push(message);
      if (file !== null) writeSync(file, `${JSON.stringify(call)}\n`);
      touch();
    },
    waitFor: (predicate, limitMs = DEFAULT_WAIT_LIMIT_MS) =>
      waitUntil(timers, watchers, () => predicate(ledger), limitMs),
    clear() {
      calls.length = 0;
      messages.length = 0;
      Object.assign(totals, NO_TOTALS, { open: totals.open });
    },
    close() {
      if (file !== null) closeSync(file);
    },
  };
  return ledger;
}

/** The calls in a ledger file. A last line cut by a kill is left out. */
export function readLedgerFile(filePath: string): readonly VendorCall[] {
  const whole = readFileSync(filePath, 'utf8');
  const lines = whole.slice(0, whole.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as VendorCall);
}

function waitUntil(
  timers: Timers,
  watchers: Set<() => void>,
  holds: () => boolean,
  limitMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel();
      watchers.delete(look);
    };
    const look = () => {
      if (!holds()) return;
      end();
      resolve();
    };
    const cancel = timers.after(limitMs, () => {
      end();
      const message = `the vendor's ledger did not come to it within ${limitMs} ms`;
      reject(new Fault('PIN_LAB_WAITED', message, { retriable: false }));
    });
    watchers.add(look);
    look();
  });
}

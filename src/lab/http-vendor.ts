// A vendor of the `http` protocol on 127.0.0.1, for tests, demo and benchmarks: a real server that answers faithfully, misbehaves on
// order, and keeps a ledger of what it was asked and what it delivered. Plain node:http, because it must be able to break the rules.
import { createServer, type Server } from 'node:http';
import type { Clock } from '../runtime/clock.ts';
import { Fault } from '../runtime/fault.ts';
import type { Timers } from '../runtime/timers.ts';
import type { VendorAnswer } from './vendor-answer.ts';
import { CONTROL_PREFIX } from './vendor-control.ts';
import { type VendorCapability, vendorDesk } from './vendor-desk.ts';
import { type VendorLedger, vendorLedger } from './vendor-ledger.ts';
import { vendorMemory } from './vendor-memory.ts';
import { type ShareRule, type VendorRule, vendorPlan } from './vendor-plan.ts';
import { CALL_PATH, serveVendor } from './vendor-service.ts';

export interface HttpVendorDeps {
  readonly clock: Clock;
  readonly timers: Timers;
}

export interface HttpVendorSettings {
  /** 0 (the default): any free port. */
  readonly port?: number;
  /** `key` by default. */
  readonly capability?: VendorCapability;
  /** How long it remembers keys and references; null (the default): for ever. */
  readonly windowMs?: number | null;
  readonly visibleAfterMs?: number;
  /** Requests must be signed with it. */
  readonly secret?: string | null;
  /** Of the rules by share. */
  readonly seed?: number;
  /** Every call is appended to this file as a JSON line. */
  readonly ledgerFile?: string | null;
  /** Message ids are this and a number; give each start its own when ids must not meet. */
  readonly idPrefix?: string;
  /** How long an idle connection is kept; 5 s by default. */
  readonly keepAliveMs?: number;
}

export interface HttpVendor {
  /** Where calls are posted. */
  readonly url: string;
  /** Where orders are posted: `…/_lab/`. */
  readonly controlUrl: string;
  readonly ledger: VendorLedger;
  /** How the next calls of a reference are answered; `lookup:<reference>` plans its lookups. */
  plan(reference: string, answers: readonly VendorAnswer[]): void;
  /** Asked for every call without a plan; null takes it away. */
  rule(rule: VendorRule | null): void;
  /** Rules as data, asked after the rule. */
  shares(rules: readonly ShareRule[]): void;
  waitFor: VendorLedger['waitFor'];
  /** Forgets orders, memory and ledger (not the file). */
  reset(): void;
  /** Ends every connection and the server. */
  close(): Promise<void>;
}

const DEFAULT_KEEP_ALIVE_MS = 5_000;

/** @throws Fault PIN_LAB_LISTEN when the port is taken */
export async function startHttpVendor(
  deps: HttpVendorDeps,
  settings: HttpVendorSettings = {},
): Promise<HttpVendor> {
  const plan = vendorPlan(settings.seed ?? 1);
  const ledger = vendorLedger(deps.timers, settings.ledgerFile ?? null);
  const memory = vendorMemory(settings.windowMs ?? null);
  const capability = settings.capability ?? 'key';
  const desk = vendorDesk(
    { ledger, memory, nowMs: deps.clock.nowMs },
    { capability, visibleAfterMs: settings.visibleAfterMs ?? 0, idPrefix: settings.idPrefix ?? 'message-' },
  );
  const reset = () => {
    plan.clear();
    memory.clear();
    ledger.clear();
  };
  const service = { ...deps, plan, ledger, desk, capability, secret: settings.secret ?? null, reset };
  const server = createServer(
    { keepAliveTimeout: settings.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS },
    (request, response) => serveVendor(service, request, response),
  );
  const origin = `http://127.0.0.1:${await listen(server, settings.port ?? 0)}`;
  return {
    url: origin + CALL_PATH,
    controlUrl: origin + CONTROL_PREFIX,
    ledger,
    plan: plan.add,
    rule: plan.setRule,
    shares: plan.setShares,
    waitFor: ledger.waitFor,
    reset,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          ledger.close();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Fault('PIN_LAB_LISTEN', `cannot listen on port ${port}`, { retriable: false, cause })),
    );
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

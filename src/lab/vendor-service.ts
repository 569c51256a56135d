// The vendor's side of the wire: which request is what, is it signed, can it be read, and how its answer goes out.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../runtime/clock.ts';
import type { Timers } from '../runtime/timers.ts';
import { parseJsonObject, readBody } from './read-body.ts';
import { CONTROL_PREFIX, handleControl } from './vendor-control.ts';
import type { VendorCapability, VendorDesk } from './vendor-desk.ts';
import type { VendorLedger } from './vendor-ledger.ts';
import type { AskedCall, VendorPlan } from './vendor-plan.ts';
import { cut, reply, sendJson } from './vendor-reply.ts';
import { isSigned } from './vendor-signature.ts';

export const CALL_PATH = '/messages';

export interface VendorService {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly plan: VendorPlan;
  readonly ledger: VendorLedger;
  readonly desk: VendorDesk;
  readonly capability: VendorCapability;
  readonly secret: string | null;
  reset(): void;
}

export function serveVendor(
  service: VendorService,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const path = request.url ?? '';
  if (request.method === 'POST' && path === CALL_PATH) serveCall(service, request, response);
  else if (path.startsWith(CONTROL_PREFIX)) handleControl(service, request, response);
  else if (request.method === 'GET' && path.startsWith(`${CALL_PATH}/`))
    serveLookup(service, path, request, response);
  else sendJson(response, 404, { detail: `POST ${CALL_PATH}, GET ${CALL_PATH}/{reference}?cycle=n` });
}

function serveCall(service: VendorService, request: IncomingMessage, response: ServerResponse): void {
  const idempotencyKey = keyOf(request);
  const [reference = '', cycle = '0'] = idempotencyKey.split(':');
  const planned = service.plan.peek(reference);
  if (planned?.kind === 'cut' && planned.when === 'before-reading') {
    service.plan.takePlanned(reference);
    service.desk.drop(reference, Number(cycle), idempotencyKey, planned);
    cut(response, planned, 'none');
    return;
  }
  countOpen(service.ledger, response);
  readBody(request, (body) => answerCall(service, request, response, body));
}

function answerCall(
  service: VendorService,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer | null,
): void {
  const { secret, clock, timers, desk, plan } = service;
  if (secret !== null && !isSigned(secret, request.headers, body ?? Buffer.alloc(0), clock.nowMs())) {
    sendJson(response, 401, { code: 'unauthorized', retriable: false });
    return;
  }
  const call = readCall(body);
  if (call === null) {
    sendJson(response, 400, { code: 'unreadable_request', retriable: false });
    return;
  }
  const decision = desk.take(call, keyOf(request) || `${call.reference}:${call.cycle}`, plan.take(call));
  response.on('close', decision.close);
  const latencyMs = decision.answer.latencyMs ?? 0;
  const answer = () => reply(timers, response, decision.answer, decision.messageId);
  if (latencyMs > 0) timers.after(latencyMs, answer);
  else answer();
}

function serveLookup(
  service: VendorService,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, searchParams } = new URL(path, 'http://lab');
  const reference = pathname.slice(CALL_PATH.length + 1);
  const planned = service.plan.takePlanned(`lookup:${reference}`);
  const found = service.desk.find(reference, Number(searchParams.get('cycle')));
  service.ledger.totals.lookups += 1;
  service.ledger.touch();
  request.resume();
  if (planned !== null) reply(service.timers, response, planned, found ?? 'none');
  else if (found !== null && service.capability === 'lookup') sendJson(response, 200, { id: found });
  else sendJson(response, 404, { code: 'not_found', retriable: false });
}

function countOpen(ledger: VendorLedger, response: ServerResponse): void {
  const { totals } = ledger;
  totals.open += 1;
  totals.peakOpen = Math.max(totals.peakOpen, totals.open);
  response.on('close', () => {
    totals.open -= 1;
    ledger.touch();
  });
}

function readCall(body: Buffer | null): AskedCall | null {
  const { reference, cycle, attempt, channel, recipient } = parseJsonObject(body) ?? {};
  if (typeof reference !== 'string' || typeof cycle !== 'number' || typeof attempt !== 'number') return null;
  if (typeof channel !== 'string' || typeof recipient !== 'string') return null;
  return { reference, cycle, attempt, channel, recipient };
}

/** Empty when it sent none; then the reference and cycle serve as one. */
function keyOf(request: IncomingMessage): string {
  const value = request.headers['idempotency-key'];
  return typeof value === 'string' ? value : '';
}

// The vendor's control endpoints, so that a test in another process can order misbehaviour and read the ledger:
// POST /_lab/plan {reference, answers}, POST /_lab/rule {rules}, GET /_lab/ledger?since=n, POST /_lab/reset.
// Not part of the `http` protocol; a real vendor has nothing like it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJsonObject, readBody } from './read-body.ts';
import { parseVendorAnswer, type VendorAnswer } from './vendor-answer.ts';
import type { VendorLedger } from './vendor-ledger.ts';
import type { ShareRule, VendorPlan } from './vendor-plan.ts';
import { sendJson } from './vendor-reply.ts';

export const CONTROL_PREFIX = '/_lab/';

interface ControlReply {
  readonly status: number;
  readonly value: unknown;
}

export interface VendorControls {
  readonly plan: VendorPlan;
  readonly ledger: VendorLedger;
  reset(): void;
}

export function handleControl(
  controls: VendorControls,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  readBody(request, (body) => {
    const { status, value } = answerControl(controls, request, parseJsonObject(body) ?? {});
    sendJson(response, status, value);
  });
}

function answerControl(
  controls: VendorControls,
  request: IncomingMessage,
  order: Readonly<Record<string, unknown>>,
): ControlReply {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://lab');
  switch (`${request.method ?? ''} ${pathname}`) {
    case 'GET /_lab/ledger':
      return { status: 200, value: ledgerSince(controls.ledger, Number(searchParams.get('since') ?? 0)) };
    case 'POST /_lab/plan':
      return orderPlan(controls.plan, order);
    case 'POST /_lab/rule':
      return orderRules(controls.plan, order);
    case 'POST /_lab/reset':
      controls.reset();
      return DONE;
    default:
      return { status: 404, value: { detail: 'there are GET ledger and POST plan, rule, reset' } };
  }
}

const DONE: ControlReply = { status: 200, value: { ok: true } };
const refused = (detail: string): ControlReply => ({ status: 400, value: { detail } });

function ledgerSince(ledger: VendorLedger, since: number) {
  return {
    totals: ledger.totals,
    calls: ledger.calls.slice(since),
    messages: ledger.messages,
    next: ledger.calls.length,
  };
}

function orderPlan(plan: VendorPlan, order: Readonly<Record<string, unknown>>): ControlReply {
  const { reference, answers } = order;
  if (typeof reference !== 'string' || !Array.isArray(answers))
    return refused('a plan is {reference, answers: [...]}');
  const parsed = answers.map(parseVendorAnswer);
  const mistake = parsed.find((answer) => typeof answer === 'string');
  if (mistake !== undefined) return refused(mistake);
  plan.add(
    reference,
    parsed.filter((answer) => typeof answer !== 'string'),
  );
  return DONE;
}

function orderRules(plan: VendorPlan, order: Readonly<Record<string, unknown>>): ControlReply {
  const { rules } = order;
  if (!Array.isArray(rules)) return refused('rules are {rules: [{share?, channel?, attempt?, answer}]}');
  const parsed = rules.map(parseShareRule);
  const mistake = parsed.find((rule) => typeof rule === 'string');
  if (mistake !== undefined) return refused(mistake);
  plan.setShares(parsed.filter((rule) => typeof rule !== 'string'));
  return DONE;
}

function parseShareRule(value: unknown): ShareRule | string {
  if (typeof value !== 'object' || value === null) return 'a rule is an object with an answer';
  const { answer: described, share, channel, attempt, recipientContains } = value as Record<string, unknown>;
  const answer: VendorAnswer | string = parseVendorAnswer(described);
  if (typeof answer === 'string') return answer;
  return {
    answer,
    ...(typeof share === 'number' ? { share } : {}),
    ...(typeof channel === 'string' ? { channel } : {}),
    ...(typeof attempt === 'number' ? { attempt } : {}),
    ...(typeof recipientContains === 'string' ? { recipientContains } : {}),
  };
}

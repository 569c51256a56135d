// Reads what a vendor of the `http` protocol answered. An error is certain only in the protocol's own words,
// {code, retriable, retryAfterMs?, scope?}: a page from something in between says nothing about the message.
import type { CallOutcome, LookupAnswer } from '../../domain/call-outcome.ts';
import { sanitiseProviderCode } from '../../domain/codes.ts';
import type { HeaderValues } from '../exchange.ts';
import { clampRetryAfter, parseRetryAfter } from '../retry-after.ts';
import { meaningOf } from './error-words.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderValues;
  /** null: it broke off. */
  readonly body: string | null;
}

interface StatedError {
  readonly code: string;
  /** null: not said. */
  readonly isRetriable: boolean | null;
  readonly retryAfterMs: number | null;
  readonly isProviderWide: boolean;
}

const MAX_MESSAGE_ID_CHARS = 512;
const CONTROL_CHARS = /\p{Cc}/gu;
/** Statuses by which a proxy or a wrong URL speaks, never a recipient. */
const WRONG_DOOR = new Set([401, 403, 404, 405, 407]);
const PROVIDER_WIDE = new Set(['provider', 'account', 'channel']);

/** What a call came to, by its answer. `nowMs` (wall time) is for a Retry-After that is a date. */
export function outcomeOfAnswer(answer: HttpAnswer, nowMs: number): CallOutcome {
  const { status } = answer;
  const json = parseObject(answer.body);
  if (status < 300) return acceptedOutcome(messageIdOf(json));
  const stated = status < 400 ? null : statedError(json);
  const providerCode = sanitiseProviderCode(stated?.code) ?? `http_${status}`;
  if (status < 400 || status === 401 || status === 403) return { kind: 'misconfigured', providerCode };
  if (status === 429) return rateLimitedOutcome(answer, stated, providerCode, nowMs);
  if (stated !== null && isCertain(stated, status)) return statedOutcome(answer, stated, providerCode, nowMs);
  if (stated === null && WRONG_DOOR.has(status)) return { kind: 'misconfigured', providerCode };
  return { kind: 'unknown', phase: answer.body === null ? 'answer-lost' : 'sent', providerCode };
}

/** What a lookup found. Only the protocol's own `not_found` counts as absent. */
export function lookupOfAnswer(answer: HttpAnswer): LookupAnswer {
  const json = parseObject(answer.body);
  const stated = statedError(json);
  const providerMessageId = answer.status === 200 ? messageIdOf(json) : null;
  if (providerMessageId !== null) return { kind: 'found', providerMessageId };
  if (answer.status === 404 && stated !== null && meaningOf(stated.code).kind === 'not-found')
    return { kind: 'absent' };
  return {
    kind: 'unavailable',
    providerCode: sanitiseProviderCode(stated?.code) ?? `http_${answer.status}`,
  };
}

function acceptedOutcome(providerMessageId: string | null): CallOutcome {
  return providerMessageId === null
    ? { kind: 'unknown', phase: 'answer-lost', providerCode: null }
    : { kind: 'accepted', providerMessageId };
}

/** A gateway may have a `code` of its own: without `retriable`, only a refusal by status (4xx but 408) is the vendor's word. */
function isCertain(stated: StatedError, status: number): boolean {
  return stated.isRetriable !== null || (status < 500 && status !== 408);
}

function statedOutcome(
  answer: HttpAnswer,
  stated: StatedError,
  providerCode: string,
  nowMs: number,
): CallOutcome {
  const meaning = meaningOf(stated.code);
  if (meaning.kind === 'misconfigured' || meaning.kind === 'not-found')
    return { kind: 'misconfigured', providerCode };
  if (meaning.kind === 'not-implemented') return { kind: 'not-implemented' };
  if (meaning.kind === 'rate-limited' && stated.isRetriable !== false)
    return rateLimitedOutcome(answer, stated, providerCode, nowMs);
  if (stated.isRetriable === true) return { kind: 'transient', providerCode };
  if (meaning.kind === 'refused') return { kind: 'refused', code: meaning.code, providerCode };
  return stated.isRetriable === false
    ? { kind: 'refused', code: 'NTF_PROVIDER_BLOCKED', providerCode }
    : { kind: 'transient', providerCode, isUnclassified: true };
}

function rateLimitedOutcome(
  answer: HttpAnswer,
  stated: StatedError | null,
  providerCode: string,
  nowMs: number,
): CallOutcome {
  const waits = [
    parseRetryAfter(headerOf(answer.headers, 'retry-after'), nowMs),
    stated?.retryAfterMs ?? null,
  ];
  const known = waits.filter((waitMs) => waitMs !== null);
  return {
    kind: 'rate-limited',
    retryAfterMs: known.length === 0 ? null : Math.max(...known),
    scope: stated?.isProviderWide === true ? 'provider' : 'message',
    providerCode,
  };
}

function statedError(json: Readonly<Record<string, unknown>> | null): StatedError | null {
  if (json === null) return null;
  const { code, retriable, retryAfterMs, scope } = json;
  if (typeof code !== 'string' || code === '') return null;
  return {
    code,
    isRetriable: typeof retriable === 'boolean' ? retriable : null,
    retryAfterMs: clampRetryAfter(retryAfterMs),
    isProviderWide: typeof scope === 'string' && PROVIDER_WIDE.has(scope),
  };
}

/** The id as text that every store takes: no control characters, bounded. A number too large to be exact is no id. */
function messageIdOf(json: Readonly<Record<string, unknown>> | null): string | null {
  const { id } = json ?? {};
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : null;
  if (typeof id !== 'string') return null;
  const kept = id.replace(CONTROL_CHARS, '').slice(0, MAX_MESSAGE_ID_CHARS);
  return kept === '' ? null : kept;
}

function parseObject(body: string | null): Readonly<Record<string, unknown>> | null {
  if (body === null) return null;
  try {
    const value: unknown = JSON.parse(body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function headerOf(headers: HeaderValues, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

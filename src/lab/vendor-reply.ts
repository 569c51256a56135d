// Puts one answer of the vendor on the wire, well-behaved or not, byte by byte where that matters.
import type { ServerResponse } from 'node:http';
import { unreachable } from '../domain/unreachable.ts';
import type { Timers } from '../runtime/timers.ts';
import type { VendorAnswer } from './vendor-answer.ts';

const JSON_TYPE = 'application/json';
const DEFAULT_REDIRECT_STATUS = 307;

/** `messageId` is what a success names. */
export function reply(
  timers: Timers,
  response: ServerResponse,
  answer: VendorAnswer,
  messageId: string,
): void {
  switch (answer.kind) {
    case 'accept':
      sendJson(response, 200, { id: messageId });
      break;
    case 'error':
      sendError(response, answer);
      break;
    case 'page':
      sendPage(response, answer);
      break;
    case 'redirect':
      response.writeHead(answer.status ?? DEFAULT_REDIRECT_STATUS, { location: answer.location }).end();
      break;
    case 'hang':
      break;
    case 'cut':
      cut(response, answer, messageId);
      break;
    case 'drip':
      drip(timers, response, JSON.stringify({ id: messageId }), answer.everyMs);
      break;
    case 'huge':
      sendJson(response, 200, { id: messageId, padding: 'x'.repeat(answer.bytes) });
      break;
    default:
      unreachable(answer);
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function sendError(response: ServerResponse, answer: Extract<VendorAnswer, { kind: 'error' }>): void {
  const { status, code, retriable, retryAfterMs, scope, retryAfter } = answer;
  sendJson(response, status, { code, retriable, retryAfterMs, scope }, retryAfterHeader(retryAfter));
}

function sendPage(response: ServerResponse, answer: Extract<VendorAnswer, { kind: 'page' }>): void {
  const body = answer.text ?? `<html><body><h1>${answer.status}</h1></body></html>`;
  const headers = { 'content-type': 'text/html', ...retryAfterHeader(answer.retryAfter) };
  response.writeHead(answer.status, headers).end(body);
}

function retryAfterHeader(retryAfter: string | undefined): Readonly<Record<string, string>> {
  return retryAfter === undefined ? {} : { 'retry-after': retryAfter };
}

/** Ends the connection; `reset` sends RST, so that the caller sees an error and not a plain end. */
export function cut(
  response: ServerResponse,
  answer: Extract<VendorAnswer, { kind: 'cut' }>,
  messageId: string,
): void {
  const { socket } = response;
  const end = () => void (answer.how === 'reset' ? socket?.resetAndDestroy() : socket?.destroy());
  if (answer.when === 'mid-answer') {
    const text = JSON.stringify({ id: messageId });
    response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), end);
  } else {
    end();
  }
}

function drip(timers: Timers, response: ServerResponse, text: string, everyMs: number): void {
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': text.length });
  const next = (index: number): void => {
    if (response.destroyed) return;
    if (index === text.length) return void response.end();
    response.write(text.charAt(index));
    timers.after(everyMs, () => next(index + 1));
  };
  next(0);
}

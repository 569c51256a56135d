// Errors as RFC 9457 problem details. The `code` is ours (NTF_… or PIN_…); the text of an unexpected error never leaves the process.
import type { FastifyReply } from 'fastify';
import { isFault } from '../runtime/fault.ts';

const PROBLEM_CONTENT_TYPE = 'application/problem+json';

export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
}

export function problem(status: number, code: string, title: string, detail?: string): Problem {
  return { type: 'about:blank', title, status, code, ...(detail === undefined ? {} : { detail }) };
}

const UNREADABLE: Readonly<Record<number, string>> = {
  413: 'The body is larger than this door takes',
  415: 'The body must be application/json',
};

/** What a client may know about anything that was thrown while its request was handled. */
export function problemOf(error: unknown): Problem {
  const status = clientStatus(error);
  if (status !== null)
    return problem(status, 'PIN_BAD_REQUEST', UNREADABLE[status] ?? 'The request cannot be read');
  if (isFault(error) && error.retriable) return problem(503, `PIN_${error.code}`, 'Try again later');
  return problem(500, 'PIN_INTERNAL', 'Something is wrong on our side');
}

/** The server's own refusals (body too large, bad JSON, unknown media type) carry a 4xx status. */
function clientStatus(error: unknown): number | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : null;
}

/** Answers with a problem; `more` are extension members that help to read it. */
export function sendProblem(
  reply: FastifyReply,
  answer: Problem,
  more: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  return reply
    .status(answer.status)
    .type(PROBLEM_CONTENT_TYPE)
    .send({ ...answer, ...more });
}

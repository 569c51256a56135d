// Asks over HTTP: one call, one deadline, no hidden retry. The id is made here and goes along as the Idempotency-Key, so that whoever hears
// nothing may ask again under the same.
import { systemTimers } from '../../runtime/timers.ts';
import type { NewNotification } from './new-notification.ts';
import { type NewRequests, newRequests } from './new-requests.ts';

export interface HttpOptions {
  /** Where `pin run gateway` answers, such as `http://127.0.0.1:8088`. */
  readonly url: string;
  /** From `pin token new`; null: a developer's own machine needs none. */
  readonly token: string | null;
  /** Of the whole call; 15 s by default. */
  readonly deadlineMs?: number;
}

export type HttpRequestAnswer =
  /** The log has all of them. */
  | { readonly kind: 'accepted'; readonly notificationIds: readonly string[] }
  /** Ask again with `notificationId`: nothing is sent twice. */
  | {
      readonly kind: 'try-again';
      readonly notificationId: string;
      readonly afterMs: number;
      readonly detail: string;
    }
  /** It will be refused again: the token, or what is asked for. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly detail: string };

export interface HttpRequests {
  /** @throws RequestRefused before anything was sent */
  requestNotification(asked: NewNotification, traceparent?: string): Promise<HttpRequestAnswer>;
}

const DEFAULT_DEADLINE_MS = 15_000;
const TRY_AGAIN_MS = 5_000;

export function httpRequests(options: HttpOptions): HttpRequests {
  const endpoint = `${options.url.replace(/\/+$/, '')}/v1/notifications`;
  return {
    async requestNotification(asked, traceparent) {
      const asking = newRequests(asked);
      const headers = {
        'content-type': 'application/json',
        'idempotency-key': asking.sourceId,
        ...(options.token === null ? {} : { authorization: `Bearer ${options.token}` }),
        ...(traceparent === undefined ? {} : { traceparent }),
      };
      const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
      return answerOf(asking, await post(endpoint, headers, bodyOf(asking), deadlineMs));
    },
  };
}

function bodyOf({ source, recipients }: NewRequests): string {
  const { notBeforeMs, notAfterMs, requestedAtMs, parentId: _, ...same } = source;
  const times = { notBefore: notBeforeMs, notAfter: notAfterMs, requestedAt: requestedAtMs };
  return JSON.stringify({ ...same, ...times, to: recipients });
}

function answerOf({ sourceId, requests }: NewRequests, answer: Posted): HttpRequestAnswer {
  if (answer.kind === 'failed') return tryAgain(sourceId, TRY_AGAIN_MS, answer.detail);
  if (answer.status === 202) {
    return { kind: 'accepted', notificationIds: requests.map(({ notificationId }) => notificationId) };
  }
  const { code, detail } = problemIn(answer.body);
  if (answer.status >= 400 && answer.status < 500 && !PASSING.has(answer.status)) {
    return { kind: 'refused', status: answer.status, code, detail };
  }
  return tryAgain(sourceId, answer.retryAfterMs ?? TRY_AGAIN_MS, detail);
}

/** What a proxy may say for a while. */
const PASSING = new Set([408, 425, 429]);

type Posted =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfterMs: number | null;
      readonly body: unknown;
    }
  | { readonly kind: 'failed'; readonly detail: string };

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  deadlineMs: number,
): Promise<Posted> {
  const deadline = new AbortController();
  const cancel = systemTimers.after(deadlineMs, () => deadline.abort());
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: deadline.signal,
      redirect: 'error',
    });
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
    return { kind: 'answered', status: response.status, retryAfterMs, body: await jsonOf(response) };
  } catch (error) {
    const detail = deadline.signal.aborted ? `no answer within ${deadlineMs} ms` : String(error);
    return { kind: 'failed', detail };
  } finally {
    cancel();
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function problemIn(body: unknown): { readonly code: string; readonly detail: string } {
  const { code, title, detail } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return { code: String(code ?? 'unknown'), detail: String(detail ?? title ?? 'no detail') };
}

function tryAgain(notificationId: string, afterMs: number, detail: string): HttpRequestAnswer {
  return { kind: 'try-again', notificationId, afterMs, detail };
}

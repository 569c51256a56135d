// The floor's provider call: undici's cheapest way, keep-alive, one request at a time on each connection.
import { Pool } from 'undici';

const DEADLINE_MS = 15_000;
const HEADERS = { accept: 'application/json', 'content-type': 'application/json' };

export function openProvider(url, calls) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: calls, pipelining: 1 });
  return {
    /** The vendor's message id; null for a failure that may be tried again. */
    send: (request, attempt) =>
      new Promise((resolve, reject) => {
        const body = bodyOf(request, attempt);
        const headers = { ...HEADERS, 'idempotency-key': `${request.notificationId}:0` };
        const limits = { headersTimeout: DEADLINE_MS, bodyTimeout: DEADLINE_MS };
        pool.dispatch({ method: 'POST', path: pathname, headers, body, ...limits }, handler(resolve, reject));
      }),
    close: () => pool.close(),
  };
}

function bodyOf(request, attempt) {
  const { notificationId, channel, recipient, template, body, data } = request;
  const content = { template, body, data };
  return JSON.stringify({ reference: notificationId, cycle: 0, attempt, channel, recipient, content });
}

function handler(resolve, reject) {
  let status = 0;
  let text = '';
  return {
    onRequestStart() {},
    onResponseStart(_, code) {
      status = code;
    },
    onResponseData(_, chunk) {
      text += chunk.latin1Slice();
    },
    onResponseEnd() {
      const answer = JSON.parse(text);
      if (status === 200) resolve(answer.id);
      else if (answer.retriable === true) resolve(null);
      else reject(new RangeError(`the vendor said ${status} ${text}`));
    },
    onResponseError(_, error) {
      reject(error);
    },
  };
}

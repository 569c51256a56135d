// Writes the requests of the `http` protocol: a call (POST) and a lookup (GET {url}/{reference}?cycle=n).
import type { NotificationId } from '../../domain/notification-id.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { ExchangeRequest } from '../exchange.ts';
import type { ProviderCall } from '../provider.ts';
import type { Sign } from './signature.ts';

export interface HttpRequests {
  call(call: ProviderCall, nowMs: number): ExchangeRequest;
  lookup(reference: NotificationId, cycle: number, nowMs: number): ExchangeRequest;
}

const COMMON_HEADERS = { accept: 'application/json', 'user-agent': 'pin-notifications' };

/** Requests to one vendor. `url` is where calls are posted; its query, if any, goes with lookups too. */
export function httpRequests(url: string, sign: Sign, deadlineMs: number): HttpRequests {
  const { pathname, search } = new URL(url);
  const lookupPath = pathname.replace(/\/$/, '');
  return {
    call(call, nowMs) {
      const body = callBody(call);
      return {
        method: 'POST',
        path: pathname + search,
        headers: {
          ...COMMON_HEADERS,
          'content-type': 'application/json',
          'idempotency-key': call.idempotencyKey,
          ...sign(call.idempotencyKey, body, nowMs),
        },
        body,
        deadlineMs,
      };
    },
    lookup(reference, cycle, nowMs) {
      const query = search === '' ? '?' : `${search}&`;
      return {
        method: 'GET',
        path: `${lookupPath}/${reference}${query}cycle=${cycle}`,
        headers: { ...COMMON_HEADERS, ...sign(`${reference}:${cycle}`, '', nowMs) },
        body: null,
        deadlineMs,
      };
    },
  };
}

function callBody(call: ProviderCall): string {
  return JSON.stringify({
    reference: call.reference,
    cycle: call.cycle,
    attempt: call.attempt,
    channel: call.channel,
    recipient: call.recipient,
    content: { template: call.template, body: call.body, data: call.data },
    ...(call.notAfterMs === null ? {} : { notAfter: isoTime(call.notAfterMs) }),
  });
}

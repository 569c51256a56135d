// Keep-alive connections to one vendor. As many as calls may run, so that a call with a permit never waits for a connection; each
// carries one request at a time, and lies idle for less long than servers allow, so that a request meets no closing connection.
import { Pool } from 'undici';
import { MAX_ANSWER_BYTES } from './exchange.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Node's servers close after 5 s, most others later. */
const IDLE_TIMEOUT_MS = 4_000;
const MAX_IDLE_TIMEOUT_MS = 60_000;
const IDLE_MARGIN_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;
/** Beside the calls: lookups take no permit. */
const LOOKUP_CONNECTIONS = 4;

/** `origin`: scheme, host and port. */
export function openPool(origin: string, settings: { maxConcurrency: number; deadlineMs: number }): Pool {
  return new Pool(origin, {
    connections: settings.maxConcurrency + LOOKUP_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: MAX_IDLE_TIMEOUT_MS,
    keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxResponseSize: 2 * MAX_ANSWER_BYTES,
    connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, settings.deadlineMs) },
  });
}

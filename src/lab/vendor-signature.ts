// Checks a Standard Webhooks signature with node's own crypto: a second reading of the specification, so that the product's signer
// is not judged by its own library.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const MAX_SKEW_SECONDS = 300;
const BASE64_PREFIX = 'whsec_';

/** True when one of the `v1` signatures is right and the timestamp is at most five minutes away. */
export function isSigned(secret: string, headers: IncomingHttpHeaders, body: Buffer, nowMs: number): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!(Math.abs(nowMs / 1_000 - Number(timestamp)) <= MAX_SKEW_SECONDS)) return false;
  const expected = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function keyOf(secret: string): Buffer {
  return secret.startsWith(BASE64_PREFIX)
    ? Buffer.from(secret.slice(BASE64_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}

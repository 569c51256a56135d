// What a call came to that got no answer. Whatever broke before a byte left is certain; whatever broke later is unknown.
import type { CallOutcome } from '../domain/call-outcome.ts';
import { sanitiseProviderCode } from '../domain/codes.ts';

/** Node's and OpenSSL's words for a certificate that we do not trust: our configuration or theirs, never this message. */
const CERTIFICATE_CODE =
  /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH)/;

/** `error` is null when the deadline ended the call. */
export function outcomeOfFailure(phase: 'connecting' | 'sent', error: unknown): CallOutcome {
  const providerCode = error === null ? 'deadline' : transportCode(error);
  if (phase === 'sent' && !isRefusedWrite(error)) return { kind: 'unknown', phase: 'sent', providerCode };
  const isUntrusted = providerCode !== null && CERTIFICATE_CODE.test(providerCode);
  return isUntrusted ? { kind: 'misconfigured', providerCode } : { kind: 'transient', providerCode };
}

/** The code of a network error, as Node, OpenSSL or undici name it. */
export function transportCode(error: unknown): string | null {
  const code = fieldOf(error, 'code');
  return sanitiseProviderCode(typeof code === 'string' ? code : fieldOf(error, 'name'));
}

/** The kernel refused a write because the connection had ended: the body never left whole, so nobody can have taken it. */
function isRefusedWrite(error: unknown): boolean {
  const code = fieldOf(error, 'code');
  return fieldOf(error, 'syscall') === 'write' && (code === 'EPIPE' || code === 'ECONNRESET');
}

function fieldOf(error: unknown, name: 'code' | 'syscall' | 'name'): string | null {
  if (typeof error !== 'object' || error === null || !(name in error)) return null;
  const value: unknown = (error as Record<typeof name, unknown>)[name];
  return typeof value === 'string' ? value : null;
}

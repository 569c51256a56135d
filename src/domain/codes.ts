// The error codes of outcomes. The first five are the use case's, the others ours.

export const ERROR_CODES = [
  'NTF_PROVIDER_TRANSIENT',
  'NTF_PROVIDER_RATE_LIMITED',
  'NTF_PROVIDER_INVALID_RECIPIENT',
  'NTF_PUSH_TOKEN_INVALID',
  'NTF_PROVIDER_NOT_IMPLEMENTED',
  'NTF_PROVIDER_TEMPLATE_INVALID',
  'NTF_PROVIDER_BLOCKED',
  'NTF_PROVIDER_MISCONFIGURED',
  'NTF_OUTCOME_UNKNOWN',
  'NTF_EXPIRED',
  'NTF_CANCELLED',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** `result` label and errorClass of CONVENTIONS. */
export type ErrorClass =
  | 'transient'
  | 'rate-limited'
  | 'refused'
  | 'blocked'
  | 'misconfigured'
  | 'unknown'
  | 'not-implemented'
  | 'expired'
  | 'cancelled';

/** Codes with which a provider says no for good. */
export type RefusalCode =
  | 'NTF_PROVIDER_INVALID_RECIPIENT'
  | 'NTF_PUSH_TOKEN_INVALID'
  | 'NTF_PROVIDER_TEMPLATE_INVALID'
  | 'NTF_PROVIDER_BLOCKED';

export interface LastError {
  readonly code: ErrorCode;
  readonly errorClass: ErrorClass;
  /** The provider's own code, sanitised; never free text. */
  readonly providerCode: string | null;
}

const MAX_PROVIDER_CODE_CHARS = 64;

/** Keeps what a code may hold (letters, digits, `_ . : -`), at most 64 characters; null when nothing is left. */
export function sanitiseProviderCode(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const kept = text.replace(/[^A-Za-z0-9_.:-]/g, '').slice(0, MAX_PROVIDER_CODE_CHARS);
  return kept === '' ? null : kept;
}

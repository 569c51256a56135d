// The codes of the `http` protocol: ours as they are, and the words that vendors use for the same things.
import type { RefusalCode } from '../../domain/codes.ts';

export type ErrorMeaning =
  | { readonly kind: 'refused'; readonly code: RefusalCode }
  | { readonly kind: 'rate-limited' }
  | { readonly kind: 'misconfigured' }
  | { readonly kind: 'not-implemented' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'unmapped' };

const refused = (code: RefusalCode): ErrorMeaning => ({ kind: 'refused', code });
const RATE_LIMITED: ErrorMeaning = { kind: 'rate-limited' };
const MISCONFIGURED: ErrorMeaning = { kind: 'misconfigured' };
const UNMAPPED: ErrorMeaning = { kind: 'unmapped' };

/** Keys in lower case with `_` for `-`, `.`, `:` and spaces. */
const MEANINGS: ReadonlyMap<string, ErrorMeaning> = new Map([
  ['ntf_provider_invalid_recipient', refused('NTF_PROVIDER_INVALID_RECIPIENT')],
  ['invalid_recipient', refused('NTF_PROVIDER_INVALID_RECIPIENT')],
  ['ntf_push_token_invalid', refused('NTF_PUSH_TOKEN_INVALID')],
  ['push_token_invalid', refused('NTF_PUSH_TOKEN_INVALID')],
  ['ntf_provider_template_invalid', refused('NTF_PROVIDER_TEMPLATE_INVALID')],
  ['template_invalid', refused('NTF_PROVIDER_TEMPLATE_INVALID')],
  ['ntf_provider_blocked', refused('NTF_PROVIDER_BLOCKED')],
  ['blocked', refused('NTF_PROVIDER_BLOCKED')],
  ['ntf_provider_rate_limited', RATE_LIMITED],
  ['rate_limited', RATE_LIMITED],
  ['ntf_provider_misconfigured', MISCONFIGURED],
  ['misconfigured', MISCONFIGURED],
  ['unauthorized', MISCONFIGURED],
  ['ntf_provider_not_implemented', { kind: 'not-implemented' }],
  ['not_implemented', { kind: 'not-implemented' }],
  ['not_found', { kind: 'not-found' }],
]);

export function meaningOf(code: string): ErrorMeaning {
  return MEANINGS.get(code.toLowerCase().replace(/[-.: ]/g, '_')) ?? UNMAPPED;
}

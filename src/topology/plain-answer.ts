// A vendor's texts made storable: what Postgres holds neither (NUL, half a surrogate pair) nor anybody needs (control characters) goes,
// and an id has a length. So the table never refuses a row for what a vendor said, and the answer is recorded.
import type { CallOutcome, LookupAnswer } from '../domain/call-outcome.ts';
import { sanitiseProviderCode } from '../domain/codes.ts';

const MAX_MESSAGE_ID_CHARS = 256;

/** The same answer with plain texts; an acceptance whose id has nothing printable keeps `fallbackId`. */
export function plainAnswer<A extends CallOutcome | LookupAnswer | { readonly kind: 'not-started' }>(
  answer: A,
  fallbackId: string,
): A {
  if ('providerMessageId' in answer)
    return { ...answer, providerMessageId: plainId(answer.providerMessageId) || fallbackId };
  if ('providerCode' in answer) return { ...answer, providerCode: sanitiseProviderCode(answer.providerCode) };
  return answer;
}

function plainId(id: string): string {
  return id
    .replace(/\p{Control}|\p{Surrogate}/gu, '')
    .slice(0, MAX_MESSAGE_ID_CHARS)
    .replace(/\p{Surrogate}/gu, '');
}

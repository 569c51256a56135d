// What reading one record comes to: a value, a violation of the contract with its reason, or a record that belongs to somebody else.
// Trouble of the schema registry is none of these: it is a Fault, so that it pauses a task and never condemns a record.

/** Header `pin-dlq-reason` and label `reason`. */
export const DLQ_REASONS = [
  'undecodable',
  'oversized',
  'bad-magic',
  'unknown-schema',
  'null-key',
  'key-not-uuid',
  'key-mismatch',
  'unknown-channel',
  'recipient-list',
  'invalid-field',
  'payload-conflict',
] as const;
export type DlqReason = (typeof DLQ_REASONS)[number];

export interface Violation {
  readonly kind: 'violation';
  readonly reason: DlqReason;
  /** At most `MAX_DETAIL_CHARS` of printable text; never a recipient, a body or any other value of the record. */
  readonly detail: string;
  /** The field that breaks the contract, as a dotted path. */
  readonly field: string | null;
}

export type DecodeAnswer<T> =
  | { readonly kind: 'decoded'; readonly value: T }
  | Violation
  | { readonly kind: 'skipped'; readonly reason: 'other-type' };

export const MAX_DETAIL_CHARS = 200;

export function violation(reason: DlqReason, detail: string, field: string | null = null): Violation {
  return {
    kind: 'violation',
    reason,
    detail: detail.replace(/[^ -~]/g, '?').slice(0, MAX_DETAIL_CHARS),
    field,
  };
}

export function invalidField(field: string, detail: string): Violation {
  return violation('invalid-field', `${field} ${detail}`, field);
}

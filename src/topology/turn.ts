// What one record's turn in its lane came to.

export type Turn =
  /** What it asked for is committed and acknowledged. */
  | { readonly kind: 'done' }
  /** Came early: the same record again at this time of the store's clock. */
  | { readonly kind: 'not-due'; readonly dueAtMs: number }
  /** Another writer has the key's row: decide again from what is in the table. */
  | { readonly kind: 'lost-race' };

export const DONE: Turn = { kind: 'done' };

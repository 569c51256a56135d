// The schema registry as a port: which schema an id stands for, and which id a schema has under a subject.
// It promises: `unknown-id` and null are the registry's own words about its content; everything else that goes wrong is a Fault.
// It never registers anything by itself: only `pin schemas push` calls `register`.

/** The only compatibility that our subjects use. */
export const COMPATIBILITY = 'FULL_TRANSITIVE';
export type Compatibility = typeof COMPATIBILITY;

export type SchemaAnswer =
  | { readonly kind: 'schema'; readonly schema: string }
  | { readonly kind: 'unknown-id' };

export type CompatibilityAnswer =
  | { readonly kind: 'compatible' }
  | { readonly kind: 'incompatible'; readonly detail: string };

export type RegisterAnswer =
  | { readonly kind: 'registered'; readonly id: number }
  | { readonly kind: 'incompatible'; readonly detail: string };

/** Every method: @throws Fault REGISTRY_UNAVAILABLE (retriable) when there is no usable answer within the deadline. */
export interface SchemaRegistry {
  schemaOf(id: number): Promise<SchemaAnswer>;
  /** The id of exactly this schema under the subject; null: the subject or the schema is not there. Looks up, never registers. */
  idOf(subject: string, schema: string): Promise<number | null>;
  /** Sets the subject's compatibility and adds the schema; the same schema again answers the same id. */
  register(subject: string, schema: string, compatibility: Compatibility): Promise<RegisterAnswer>;
  /** Against every version of the subject; a subject that does not exist is compatible with everything. */
  checkCompatibility(subject: string, schema: string): Promise<CompatibilityAnswer>;
}

// The Avro schemas as shipped with the package: the current one of each topic value, and every version that was ever released.
// It never writes and never talks to a registry.

export const SCHEMA_NAMES = [
  'notification-requested',
  'provider-webhook',
  'notification-command',
  'retry-due',
  'notification-dispatched-event',
] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];

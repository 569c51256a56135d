// When a push token is to be forgotten: its provider said that nobody is behind it any more. Only what was registered before the call that
// learnt it is meant: a token that was registered since has somebody behind it again.
import type { Notification } from './notification.ts';

export interface InvalidToken {
  readonly tenantId: string | null;
  readonly providerKey: string;
  /** Epoch ms by the store's clock: registrations from then on are newer than the answer. */
  readonly sinceMs: number;
}

/** null: the row's outcome says nothing about a token. */
export function invalidTokenOf(row: Notification): InvalidToken | null {
  const { outcome, channel, tenantId } = row;
  if (channel !== 'push' || outcome?.error?.code !== 'NTF_PUSH_TOKEN_INVALID') return null;
  // A webhook does not say when its call began: the first of all calls is early enough to be safe.
  const sinceMs = outcome.tokenInvalidSinceMs ?? row.firstAttemptAtMs;
  if (sinceMs === null || outcome.providerKey === null) return null;
  return { tenantId, providerKey: outcome.providerKey, sinceMs };
}

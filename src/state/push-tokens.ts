// Push tokens as a part of the store's port: who is reached where, and how a token that is nobody's any more is forgotten.
export interface PushToken {
  /** null: the platform's own user. */
  readonly tenantId: string | null;
  readonly userId: string;
  /** The provider instance that takes the token. */
  readonly providerKey: string;
  /** A secret of its owner: never logged. */
  readonly token: string;
}

export interface RegisteredToken extends PushToken {
  readonly registeredAtMs: number;
}

/** All reject with Fault STATE_UNAVAILABLE (retriable). */
export interface PushTokens {
  /** From now on the token reaches this user; registered again it is new again, and somebody else's it is no more. */
  registerPushToken(token: PushToken): Promise<void>;
  /** Only a token of this tenant that was registered before `sinceMs` (the store's clock); true: this call removed it. */
  removePushToken(token: Omit<PushToken, 'userId'> & { readonly sinceMs: number }): Promise<boolean>;
  /** Newest first, at most MAX_PUSH_TOKENS. */
  pushTokens(owner: Pick<PushToken, 'tenantId' | 'userId'>): Promise<readonly RegisteredToken[]>;
}

export const MAX_PUSH_TOKENS = 100;

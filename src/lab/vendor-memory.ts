// What the vendor remembers of its messages: by idempotency key for its window, and by reference for lookups.

export interface RememberedMessage {
  readonly messageId: string;
  readonly atMs: number;
}

export interface VendorMemory {
  /** The message of a key, unless the window has passed. */
  recall(idempotencyKey: string, nowMs: number): RememberedMessage | null;
  remember(idempotencyKey: string, message: RememberedMessage): void;
  clear(): void;
}

/** The oldest are forgotten beyond it. */
const MAX_KEYS = 2_000_000;

/** `windowMs` null: for ever. */
export function vendorMemory(windowMs: number | null): VendorMemory {
  const byKey = new Map<string, RememberedMessage>();
  const isOver = (message: RememberedMessage, nowMs: number) =>
    windowMs !== null && nowMs - message.atMs >= windowMs;
  return {
    recall(idempotencyKey, nowMs) {
      const message = byKey.get(idempotencyKey);
      return message === undefined || isOver(message, nowMs) ? null : message;
    },
    remember(idempotencyKey, message) {
      byKey.delete(idempotencyKey);
      byKey.set(idempotencyKey, message);
      const [oldest] = byKey;
      if (oldest !== undefined && (byKey.size > MAX_KEYS || isOver(oldest[1], message.atMs)))
        byKey.delete(oldest[0]);
    },
    clear: () => byKey.clear(),
  };
}

// Randomness as a port: ids and jitter come from here and nowhere else.
import { hash, randomUUID } from 'node:crypto';

export interface Ids {
  /** A fresh random uuid (v4). */
  uuid(): string;
  /** Uniform in [0, 1). */
  fraction(): number;
}

export const systemIds: Ids = { uuid: () => randomUUID(), fraction: () => Math.random() };

/** uuid v5 (RFC 9562): the same name in the same namespace is always the same id. */
export function uuidOfName(namespace: string, name: string): string {
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const digest = hash('sha1', Buffer.concat([space, Buffer.from(name)]), 'hex');
  // Version 5 in the high bits of octet 6, variant 10 in those of octet 8.
  const variant = VARIANT_DIGITS[Number.parseInt(digest.charAt(16), 16) & 0x3];
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

const VARIANT_DIGITS = ['8', '9', 'a', 'b'] as const;

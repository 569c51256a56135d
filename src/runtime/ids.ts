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

/** uuid v7 (RFC 9562) of `nowMs`: ids that are made later sort later. `random` is a uuid v4 that gives the other bits. */
export function uuidOfTime(nowMs: number, random: string): string {
  const time = Math.max(0, nowMs).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

const VARIANT_DIGITS = ['8', '9', 'a', 'b'] as const;

// Randomness as a port: ids and jitter come from here and nowhere else.
import { createHash, randomUUID } from 'node:crypto';

export interface Ids {
  /** A fresh random uuid (v4). */
  uuid(): string;
  /** Uniform in [0, 1). */
  fraction(): number;
}

export const systemIds: Ids = { uuid: () => randomUUID(), fraction: () => Math.random() };

/** uuid v5 (RFC 9562): the same name in the same namespace is always the same id. */
export function uuidOfName(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

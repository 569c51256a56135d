// The recipient as analytics may see it: a keyed hash, so that nobody can try out addresses without the key.
import { createHmac, hkdfSync } from 'node:crypto';

const INFO = 'pin.notifications recipient-hash v1';
const KEY_BYTES = 32;

/** HMAC-SHA-256 (hex) under a key derived (HKDF) from the encryption key material. */
export function recipientHasher(keyMaterial: Uint8Array): (recipient: string) => string {
  const key = Buffer.from(hkdfSync('sha256', keyMaterial, Buffer.alloc(0), INFO, KEY_BYTES));
  return (recipient) => createHmac('sha256', key).update(recipient).digest('hex');
}

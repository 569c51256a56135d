// Signs requests as Standard Webhooks does, so that the vendor can tell ours from others'. The id is the idempotency key: it stays
// the same when a call is repeated.
import { Webhook } from 'standardwebhooks';
import { Fault, messageOf } from '../../runtime/fault.ts';

export type Sign = (messageId: string, body: string, nowMs: number) => Readonly<Record<string, string>>;

const BASE64_PREFIX = 'whsec_';

/**
 * `secret`: `whsec_` and base64, or any other text, taken as its UTF-8 bytes. null: no signature headers.
 * @throws Fault PIN_PROVIDER_SETTINGS when what follows `whsec_` is no base64
 */
export function signer(secret: string | null): Sign {
  if (secret === null) return () => ({});
  const webhook = openWebhook(secret);
  return (messageId, body, nowMs) => ({
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
    // biome-ignore lint/style/noRestrictedGlobals: the library asks for a Date; this one is made of the Clock's reading.
    'webhook-signature': webhook.sign(messageId, new Date(nowMs), body),
  });
}

function openWebhook(secret: string): Webhook {
  if (!secret.startsWith(BASE64_PREFIX))
    return new Webhook(new Uint8Array(Buffer.from(secret, 'utf8')), { format: 'raw' });
  try {
    return new Webhook(secret);
  } catch (cause) {
    throw new Fault('PIN_PROVIDER_SETTINGS', `the secret is not whsec_ and base64: ${messageOf(cause)}`, {
      retriable: false,
    });
  }
}

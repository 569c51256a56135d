// The provider of channel in-app: the committed row is the message, and the inbox shows it, so a call is accepted as soon as it is made.
// It promises: no request leaves the process, and the same call is the same message however often it is repeated.
import type { Provider } from './provider.ts';

export function inAppProvider(providerKey: string): Provider {
  return {
    facts: {
      providerKey,
      capability: 'key',
      windowMs: null,
      visibilityDelayMs: 0,
      deadlineMs: 1_000,
      maxConcurrency: 1_000,
      ratePerSecond: null,
      isStub: false,
      echoesReference: true,
    },
    send: ({ idempotencyKey }, mayStart) =>
      Promise.resolve(
        mayStart() ? { kind: 'accepted', providerMessageId: idempotencyKey } : { kind: 'not-started' },
      ),
    lookUp: () => Promise.resolve({ kind: 'unavailable', providerCode: null }),
    close: () => Promise.resolve(),
  };
}

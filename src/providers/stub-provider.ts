// The provider of a channel that is planned and not built. Its calls are holds, use no attempt, and send nothing.
import type { Provider } from './provider.ts';

/** Its facts say `isStub`, so the rules hold before they ask; whoever asks all the same learns `not-implemented`. */
export function stubProvider(providerKey: string): Provider {
  return {
    facts: {
      providerKey,
      capability: 'none',
      windowMs: null,
      visibilityDelayMs: 0,
      deadlineMs: 1_000,
      maxConcurrency: 1,
      ratePerSecond: null,
      isStub: true,
    },
    send: () => Promise.resolve({ kind: 'not-implemented' }),
    lookUp: () => Promise.resolve({ kind: 'unavailable', providerCode: null }),
    close: () => Promise.resolve(),
  };
}

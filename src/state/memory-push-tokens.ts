// Push tokens of the in-memory store: the same answers as the table gives.
import type { MemoryDatabase } from './memory-database.ts';
import type { StepRunner } from './memory-faults.ts';
import { MAX_PUSH_TOKENS, type PushToken, type PushTokens } from './push-tokens.ts';

export function memoryPushTokens({ pushTokens, clock }: MemoryDatabase, step: StepRunner): PushTokens {
  return {
    registerPushToken: (token) =>
      step('other', [], () => {
        const registeredAtMs = Math.floor(clock.nowMs());
        pushTokens.set(pushTokenKey(token), { ...token, registeredAtMs });
      }),
    removePushToken: ({ sinceMs, ...token }) =>
      step('other', [], () => {
        const known = pushTokens.get(pushTokenKey(token));
        if (known?.tenantId !== token.tenantId || known.registeredAtMs >= sinceMs) return false;
        return pushTokens.delete(pushTokenKey(token));
      }),
    pushTokens: ({ tenantId, userId }) =>
      step('other', [], () =>
        [...pushTokens.values()]
          .filter((token) => token.tenantId === tenantId && token.userId === userId)
          .sort((a, b) => b.registeredAtMs - a.registeredAtMs || (a.token < b.token ? -1 : 1))
          .slice(0, MAX_PUSH_TOKENS),
      ),
  };
}

/** Where a token stands in the table. */
export function pushTokenKey({ providerKey, token }: Pick<PushToken, 'providerKey' | 'token'>): string {
  return JSON.stringify([providerKey, token]);
}

// Push tokens: who is reached where, and when a token is forgotten.
import { describe, expect, test } from 'vitest';
import type { PushToken } from '../../../src/state/push-tokens.ts';
import type { StoreWorld } from './store-world.ts';

const OWN: PushToken = { tenantId: 'tenant-1', userId: 'ada', providerKey: 'push-a', token: 'token "1" 🚀' };
const FOR_EVER_MS = 253_402_214_400_000;

export function pushTokenContract(world: StoreWorld): void {
  const tokensOf = async ({ tenantId, userId }: Pick<PushToken, 'tenantId' | 'userId'>) =>
    (await world.store().pushTokens({ tenantId, userId })).map(({ token }) => token);
  /** When it was registered, as the store says. */
  const registered = async (token: PushToken) => {
    await world.store().registerPushToken(token);
    const [known] = (await world.store().pushTokens(token)).filter((one) => one.token === token.token);
    return known?.registeredAtMs ?? Number.NaN;
  };
  const { userId: _user, ...named } = OWN;

  describe('push tokens', () => {
    test('are their user’s and nobody else’s', async () => {
      await registered(OWN);
      await registered({ ...OWN, tenantId: null, token: 'platform' });
      await registered({ ...OWN, tenantId: 'tenant-2', token: 'other tenant' });
      await registered({ ...OWN, userId: 'bob', token: 'other user' });
      await registered({ ...OWN, token: 'second' });
      expect(new Set(await tokensOf(OWN))).toEqual(new Set([OWN.token, 'second']));
      expect(await tokensOf({ tenantId: null, userId: 'ada' })).toEqual(['platform']);
    });

    test('registered again move to who uses them now', async () => {
      await registered(OWN);
      await registered({ ...OWN, userId: 'bob' });
      expect(await tokensOf(OWN)).toEqual([]);
      expect(await tokensOf({ ...OWN, userId: 'bob' })).toEqual([OWN.token]);
    });

    test('of two providers are two, whatever their text', async () => {
      await registered(OWN);
      await registered({ ...OWN, providerKey: 'push-b' });
      expect(await world.store().removePushToken({ ...named, sinceMs: FOR_EVER_MS })).toBe(true);
      expect(await world.store().pushTokens(OWN)).toMatchObject([{ providerKey: 'push-b' }]);
    });

    test('are removed once when they were registered before, never when at that time or later', async () => {
      const atMs = await registered(OWN);
      const remove = (sinceMs: number) => world.store().removePushToken({ ...named, sinceMs });
      expect(await remove(atMs - 60_000)).toBe(false);
      expect(await remove(atMs)).toBe(false);
      expect(await tokensOf(OWN)).toEqual([OWN.token]);
      expect(await remove(atMs + 1)).toBe(true);
      expect(await remove(atMs + 1)).toBe(false);
      expect(await tokensOf(OWN)).toEqual([]);
    });

    test('are not another tenant’s to remove', async () => {
      await registered(OWN);
      for (const tenantId of ['tenant-2', null])
        expect(await world.store().removePushToken({ ...named, tenantId, sinceMs: FOR_EVER_MS })).toBe(false);
      await registered({ ...OWN, tenantId: null, token: 'platform' });
      const platform = { ...named, tenantId: null, token: 'platform', sinceMs: FOR_EVER_MS };
      expect(await world.store().removePushToken(platform)).toBe(true);
      expect(await tokensOf(OWN)).toEqual([OWN.token]);
    });
  });
}

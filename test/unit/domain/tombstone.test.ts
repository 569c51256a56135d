import { expect, test } from 'vitest';
import { isTombstone, PURGED, tombstoneState } from '../../../src/domain/tombstone.ts';
import { aClaim, aDoubt, aSent, NOW_MS } from '../../support/a-notification.ts';

test('a tombstone keeps who it was and how it ended, and nothing about a person', () => {
  const row = aSent({
    ...{ claim: aClaim(), unknown: aDoubt(), hold: 'channel-disabled', cancelBy: 'ops:ada' },
    ...{ inAppUserId: 'ada', inAppStatus: 'arrived', readAtMs: 1, deliveredAtMs: 2, seenAtMs: 3 },
    ...{ complainedAtMs: 4, unsubscribedAtMs: 5, closedAtMs: 6, notBeforeMs: 7, notAfterMs: NOW_MS },
    commandIds: ['a'],
    lastError: { code: 'NTF_PROVIDER_TRANSIENT', errorClass: 'transient', providerCode: 'x' },
  });
  const { id, tenantId, channel, status, final, cycle, attempts, outcomeSeq, publishedSeq } = row;
  const kept = { id, tenantId, channel, status, final, cycle, attempts, outcomeSeq, publishedSeq };
  const nothing = {
    ...{ claim: null, unknown: null, hold: null, lastError: null, providerKey: null, cancelBy: null },
    ...{ providerMessageId: null, evidence: [], outcome: null, inAppUserId: null, inAppStatus: 'none' },
    ...{ readAtMs: null, deliveredAtMs: null, seenAtMs: null, complainedAtMs: null, commandIds: [] },
    ...{ unsubscribedAtMs: null, closedAtMs: null, notBeforeMs: null, notAfterMs: null },
  };
  expect(tombstoneState(row)).toMatchObject({ ...kept, ...nothing });
});

test('it is known by the last line of its trail', () => {
  expect(PURGED).toBe('purged');
  expect(isTombstone({ trail: '1700000000000 purged\n' })).toBe(true);
  expect(isTombstone({ trail: '1700000000000 accepted n=1 message=purged\n' })).toBe(false);
  expect(isTombstone({ trail: '1 purged\n2 accepted\n' })).toBe(false);
  expect(isTombstone({ trail: '' })).toBe(false);
});

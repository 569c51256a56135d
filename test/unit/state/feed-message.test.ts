import { describe, expect, test } from 'vitest';
import type { NotificationEvent } from '../../../src/domain/notification-event.ts';
import { feedMessage, readFeedMessage } from '../../../src/state/feed-message.ts';
import { anEvent } from '../../contract/state/feed-contract.ts';

const { id } = anEvent(1);
const arrived: NotificationEvent = {
  ...{ kind: 'inbox-arrived', id, tenantId: 'tenant "1"', userId: 'ada', version: 3 },
};

describe('a message of the feed', () => {
  test.each([anEvent(7), arrived, { ...arrived, kind: 'inbox-read', tenantId: null } as const])(
    'says $kind to others as it was published',
    (event) => {
      expect(readFeedMessage(feedMessage({ origin: 'me', event }))).toEqual({ origin: 'me', event });
    },
  );

  test.each([
    ['no JSON', '{'],
    ['no object', '7'],
    ['null', 'null'],
    ['no origin', JSON.stringify(anEvent(1))],
    ['another kind', JSON.stringify({ ...arrived, origin: 'me', kind: 'from-the-future' })],
    ['no uuid', JSON.stringify({ ...arrived, origin: 'me', id: 'x' })],
    ['no version', JSON.stringify({ ...arrived, origin: 'me', version: '3' })],
    ['a tenant that is no text', JSON.stringify({ ...arrived, origin: 'me', tenantId: 3 })],
    ['no user', JSON.stringify({ ...arrived, origin: 'me', userId: null })],
    ['a status that does not exist', JSON.stringify({ ...anEvent(1), origin: 'me', to: 'Lost' })],
  ])('with %s is nobody’s', (_what, text) => {
    expect(readFeedMessage(text)).toBeNull();
  });
});

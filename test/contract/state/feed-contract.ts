// What every feed must do: tell its listeners in order, and never trouble its publisher.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NotificationEvent } from '../../../src/domain/notification-event.ts';
import type { NotificationFeed } from '../../../src/state/notification-feed.ts';
import { anId } from './state-builders.ts';

export interface FeedUnderTest {
  /** A feed that is ready to tell and to hear. */
  open(): Promise<NotificationFeed>;
  /** Resolves when everything that was published has been told. */
  settled(): Promise<void>;
}

const ID = anId();

export const anEvent = (version: number): NotificationEvent => ({
  ...{ kind: 'status-changed', id: ID, tenantId: null, from: 'Pending', to: 'Sent', version },
});

export function feedContract(name: string, under: FeedUnderTest): void {
  describe(name, () => {
    let feed: NotificationFeed;
    beforeEach(async () => {
      feed = await under.open();
    });
    afterEach(() => feed.close());

    const heardBy = (one: NotificationFeed) => {
      const heard: NotificationEvent[] = [];
      const stop = one.subscribe((event) => void heard.push(event));
      return { heard, stop };
    };

    test('tells every listener everything, in order and once', async () => {
      const [first, second] = [heardBy(feed), heardBy(feed)];
      const events = Array.from({ length: 300 }, (_, n) => anEvent(n));
      for (const event of events) feed.publish(event);
      await under.settled();
      expect(first.heard).toEqual(events);
      expect(second.heard).toEqual(events);
    });

    test('tells nothing more to who stopped listening, twice listening is heard twice', async () => {
      const { heard, stop } = heardBy(feed);
      const twice: NotificationEvent[] = [];
      const hear = (event: NotificationEvent) => void twice.push(event);
      feed.subscribe(hear);
      const stopOne = feed.subscribe(hear);
      feed.publish(anEvent(1));
      stop();
      stopOne();
      feed.publish(anEvent(2));
      await under.settled();
      expect(heard).toEqual([anEvent(1)]);
      expect(twice).toEqual([anEvent(1), anEvent(1), anEvent(2)]);
    });

    test('a listener that throws troubles neither the publisher nor the others', async () => {
      feed.subscribe(() => {
        throw new RangeError('a bug of a listener');
      });
      const { heard } = heardBy(feed);
      feed.publish(anEvent(1));
      await under.settled();
      expect(heard).toEqual([anEvent(1)]);
    });

    test('a closed one takes everything and tells nothing', async () => {
      const { heard } = heardBy(feed);
      await feed.close();
      await feed.close();
      feed.publish(anEvent(1));
      await under.settled();
      expect(heard).toEqual([]);
    });
  });
}

// The fan-out of what was committed, as a port: who shows notifications to people hears of changes without asking the table.
// It promises to be harmless: publishing returns at once, never throws, and loses events rather than keep a record waiting. Whoever
// listens must be able to ask the table instead; an event lost costs latency and nothing else.
import type { NotificationEvent } from '../domain/notification-event.ts';
import { messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Cancel } from '../runtime/timers.ts';

/** Returns at once: it runs inside the commit of its publisher. */
export type FeedListener = (event: NotificationEvent) => void;

export interface NotificationFeed {
  /** To every listener of this process at once, and to those of others as the implementation can. */
  publish(event: NotificationEvent): void;
  subscribe(listener: FeedListener): Cancel;
  /** Nothing is published or heard after it. */
  close(): Promise<void>;
}

/** The feed of one process alone. */
export function localFeed(deps: { readonly logger: Logger }): NotificationFeed {
  const listeners = new Set<{ readonly hear: FeedListener }>();
  return {
    publish(event) {
      for (const { hear } of listeners) {
        try {
          hear(event);
        } catch (error) {
          deps.logger.error('listener.failed', { detail: messageOf(error) });
        }
      }
    },
    subscribe(hear) {
      const one = { hear };
      listeners.add(one);
      return () => void listeners.delete(one);
    },
    close() {
      listeners.clear();
      return Promise.resolve();
    },
  };
}

// What each part of the store's contract stands on: an empty database, a store over it, and short ways to put rows in.
import { afterEach, beforeEach } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import type { Inbox } from '../../../src/state/inbox.ts';
import type { Insertion, NotificationStore } from '../../../src/state/store.ts';
import { until } from '../../support/until.ts';
import { aChange, anInsertion, anOutcome, type aState, aWrite } from './state-builders.ts';

export interface StoreUnderTest {
  /** A store over an empty database; a second call gives another store over the same one. */
  open(): Promise<NotificationStore>;
  /** Reads the same database. */
  readonly inbox: Inbox;
  quarantined(): Promise<readonly QuarantinedRow[]>;
  end(): Promise<void>;
}

interface QuarantinedRow {
  readonly reason: string;
  readonly notificationId: NotificationId | null;
  readonly offset: string | null;
}

type StateParts = NonNullable<Parameters<typeof aState>[0]>;
type ChangeParts = NonNullable<Parameters<typeof aChange>[1]>;

export interface StoreWorld {
  store(): NotificationStore;
  inbox(): Inbox;
  /** Another process' store over the same database. */
  another(): Promise<NotificationStore>;
  quarantined(): Promise<readonly QuarantinedRow[]>;
  inserted(insertion: Insertion): Promise<Notification>;
  written(row: Notification, state?: StateParts, change?: ChangeParts): Promise<Notification>;
  loaded(id: NotificationId): Promise<Notification | null>;
  /** What the store's clock says once it is past `atMs`. */
  clockBeyond(atMs: number): Promise<number>;
  /** A Sent row that owes outcome 1. */
  finalRow(parts?: StateParts): Promise<Notification>;
}

/** Registers the hooks that begin and end a world for each test of the enclosing `describe`. */
export function storeWorld(begin: () => Promise<StoreUnderTest>): StoreWorld {
  let under: StoreUnderTest;
  let store: NotificationStore;
  const others: NotificationStore[] = [];
  beforeEach(async () => {
    under = await begin();
    store = await under.open();
  });
  afterEach(async () => {
    for (const one of [store, ...others.splice(0)]) await one.close();
    await under.end();
  });
  const world: StoreWorld = {
    store: () => store,
    inbox: () => under.inbox,
    async another() {
      const other = await under.open();
      others.push(other);
      return other;
    },
    quarantined: () => under.quarantined(),
    async inserted(insertion) {
      const answer = await store.insert(insertion);
      invariant(answer.kind === 'written', `insert: ${JSON.stringify(answer)}`);
      return answer.row;
    },
    async written(row, state = {}, change = {}) {
      const answer = await store.write(aWrite(row.version, aChange({ ...row, ...state }, change)));
      invariant(answer.kind === 'written', `write: ${JSON.stringify(answer)}`);
      return answer.row;
    },
    async loaded(id) {
      return (await store.load([id])).found.get(id)?.row ?? null;
    },
    clockBeyond: (atMs) =>
      until(
        () => `a later time than ${atMs}`,
        async () => {
          const { nowMs } = await store.load([]);
          return nowMs > atMs ? nowMs : null;
        },
      ),
    finalRow: (parts = {}) =>
      world.inserted(
        anInsertion({
          status: 'Sent',
          final: 'accepted',
          outcome: anOutcome(),
          outcomeSeq: 1,
          attempts: 1,
          ...parts,
        }),
      ),
  };
  return world;
}

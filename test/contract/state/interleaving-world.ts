// What the interleavings of the store's contract stand on: up to four processes over one database, each of which can be stopped at a
// chosen point of its next flush, and the table as it is. Nothing here waits for time: a hold is reached, or it is not.
import { afterEach, beforeEach } from 'vitest';
import type { Notification } from '../../../src/domain/notification.ts';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import type { Insertion, NotificationStore } from '../../../src/state/store.ts';
import { aChange, anId, anInsertion, anOutcome, type aState, aWrite } from './state-builders.ts';

/** Where a flush can be stopped. `before-answer`: it is committed, and its process does not know. */
export type HoldPoint = 'before-statements' | 'before-marks' | 'before-commit' | 'before-answer';

/** What becomes of the held flush: it goes on, its connection breaks, or (with another flush) it runs into a deadlock. */
export type HoldEnd = 'go' | 'cut' | 'deadlock';

export interface Hold {
  /** The flush has come to the point and stands there. */
  readonly reached: Promise<void>;
  release(): void;
}

/** A process with connections of its own and one writer lane. */
export interface StoreProcess {
  readonly store: NotificationStore;
  /** Stops the next flush at `point`. */
  hold(point: HoldPoint, end?: HoldEnd): Hold;
  /** The flush under way waits for a row of somebody else. A store that never waits has ended it. */
  waits(): Promise<void>;
}

/** Some columns of a row and of its content, read without the store. */
export interface RowInTable {
  readonly version: number;
  readonly final: string | null;
  readonly attempts: number;
  readonly claimToken: string | null;
  readonly writeToken: string;
  readonly outcomeSeq: number;
  readonly publishedSeq: number;
  readonly wakeAtMs: number | null;
  readonly wakeSeq: number;
  readonly wakeInLog: boolean;
  readonly readAtMs: number | null;
  readonly payloadHash: string;
}

export interface DatabaseUnderTest {
  process(): Promise<StoreProcess>;
  row(id: NotificationId): Promise<RowInTable | null>;
  /** Ids of the rows that were refused. */
  quarantined(): Promise<readonly (NotificationId | null)[]>;
  end(): Promise<void>;
}

type StateParts = NonNullable<Parameters<typeof aState>[0]>;

export interface InterleavingWorld {
  /** A process over this test's database; closed after the test. */
  process(): Promise<StoreProcess>;
  row(id: NotificationId): Promise<RowInTable | null>;
  quarantined(): Promise<readonly (NotificationId | null)[]>;
  inserted(process: StoreProcess, insertion: Insertion): Promise<Notification>;
  loaded(process: StoreProcess, id: NotificationId): Promise<Notification>;
  /** A Sent row that owes outcome 1 (or `parts`). */
  finalRow(process: StoreProcess, parts?: StateParts): Promise<Notification>;
}

export function interleavingWorld(begin: () => Promise<DatabaseUnderTest>): InterleavingWorld {
  let database: DatabaseUnderTest;
  const processes: StoreProcess[] = [];
  const holds: Hold[] = [];
  beforeEach(async () => {
    database = await begin();
  });
  afterEach(async () => {
    // A test that failed may have left one.
    for (const held of holds.splice(0)) held.release();
    await Promise.all(processes.splice(0).map(({ store }) => store.close()));
    await database.end();
  });
  const world: InterleavingWorld = {
    async process() {
      const process = await database.process();
      processes.push(process);
      return {
        ...process,
        hold(point, end) {
          const held = process.hold(point, end);
          holds.push(held);
          return held;
        },
      };
    },
    row: (id) => database.row(id),
    quarantined: () => database.quarantined(),
    async inserted({ store }, insertion) {
      const answer = await store.insert(insertion);
      invariant(answer.kind === 'written', `insert: ${JSON.stringify(answer)}`);
      return answer.row;
    },
    async loaded({ store }, id) {
      const row = (await store.load([id])).found.get(id)?.row;
      invariant(row !== undefined, `${id} is there`);
      return row;
    },
    finalRow: (process, parts = {}) =>
      world.inserted(
        process,
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

/** A write on top of `row`, its wake-up moved by a minute from now. */
export function writeOn(row: Notification, parts: StateParts, rest: Parameters<typeof aChange>[1] = {}) {
  return aWrite(row.version, aChange({ ...row, ...parts }, rest));
}

/** What a webhook or a mark-read does between somebody's load and settle: claim and wake-up stay. */
export function touchOn(row: Notification, readAtMs: number) {
  return writeOn(row, { readAtMs }, { wake: { kind: 'keep' } });
}

/** `count` ids in ascending order that every store has in one writer lane, so that one flush can carry them. */
export function idsOfOneLane(count: number): readonly NotificationId[] {
  return Array.from({ length: count }, () => anId(`${anId().slice(0, -1)}0`)).sort();
}

/** `first` and `second` of the ids, for tests that need no more. */
export function twoOfOneLane(): readonly [NotificationId, NotificationId] {
  const [first, second] = idsOfOneLane(2);
  invariant(first !== undefined && second !== undefined, 'two ids');
  return [first, second];
}

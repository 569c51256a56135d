// The writing half of the store: operations go to writer lanes by a hash of their key, so one key always has one lane.
// It promises what a lane promises (writer-lane.ts). It never waits for one lane on behalf of another.
import type { NotificationId } from '../domain/notification-id.ts';
import { invariant } from '../runtime/fault.ts';
import type { Flusher } from './flush.ts';
import type { SettlementDeps } from './flush-settlement.ts';
import type { OutageWatch } from './outage-watch.ts';
import type { NotificationStore } from './store.ts';
import { type WriterLane, type WriterLaneSettings, writerLane } from './writer-lane.ts';

export type GroupCommit = Pick<NotificationStore, 'insert' | 'write' | 'mark' | 'drainMarks' | 'close'>;

export interface GroupCommitDeps extends Pick<SettlementDeps, 'timers' | 'logger'> {
  /** One for each lane. */
  readonly flushers: readonly Flusher[];
  readonly outage: OutageWatch;
}

export function groupCommit(deps: GroupCommitDeps, settings: WriterLaneSettings): GroupCommit {
  const { flushers, timers, logger, outage } = deps;
  const lanes = flushers.map((flusher) =>
    writerLane({ flusher, timers, logger, onTry: outage.reporter() }, settings),
  );
  const laneOf = (id: NotificationId): WriterLane => {
    const lane = lanes[laneNumber(id, lanes.length)];
    invariant(lane !== undefined, 'a store has at least one writer lane');
    return lane;
  };
  return {
    insert: (insertion) =>
      new Promise((resolve, reject) => {
        const { id } = insertion.change.next;
        laneOf(id).submit({ kind: 'insert', id, insertion, isUncertain: false, resolve, reject });
      }),
    write: (write) =>
      new Promise((resolve, reject) => {
        const { id } = write.change.next;
        laneOf(id).submit({ kind: 'write', id, write, isUncertain: false, resolve, reject });
      }),
    mark: (id, outcomeSeq) => laneOf(id).mark(id, outcomeSeq),
    async drainMarks() {
      await Promise.all(lanes.map((lane) => lane.drainMarks()));
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
      await Promise.all(flushers.map((flusher) => flusher.close()));
    },
  };
}

/** By the last 16 bits: random in every version of uuid. */
function laneNumber(id: NotificationId, lanes: number): number {
  return Number.parseInt(id.slice(-4), 16) % lanes;
}

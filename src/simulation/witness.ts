// Sees every row as it is committed, and every call as it starts, and keeps what the invariants need to know of the past. It judges nothing.
import type { Claim, Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { MemoryDatabase, MemoryRow } from '../state/memory-database.ts';
import type { Incarnation } from './incarnation.ts';
import type { LedgerCall } from './ledger.ts';

export interface CommittedClaim {
  readonly atMs: number;
  readonly by: string;
  readonly cycle: number;
  readonly claim: Claim;
}

export interface Transition {
  readonly before: Notification | null;
  readonly after: Notification;
  readonly atMs: number;
  /** The process whose flush it was. */
  readonly by: string;
  readonly process: Incarnation | null;
}

export interface Witness {
  claimsOf(id: NotificationId): readonly CommittedClaim[];
  onTransition(judge: (transition: Transition) => void): void;
  onCall(judge: (call: LedgerCall, row: Notification | null) => void): void;
  /** The tables serve `process` now. */
  serving(process: Incarnation): void;
  called(call: LedgerCall): void;
  /** The channels' configuration arrived in `process`. */
  sawConfigs(process: Incarnation): void;
  /** When it did, in order. */
  configsSeenBy(process: Incarnation): readonly number[];
}

export function openWitness(database: MemoryDatabase): Witness {
  const claims = new Map<NotificationId, CommittedClaim[]>();
  const judges: ((transition: Transition) => void)[] = [];
  const callJudges: ((call: LedgerCall, row: Notification | null) => void)[] = [];
  const put = database.rows.set.bind(database.rows);
  const configsSeen = new Map<Incarnation, number[]>();
  let process: Incarnation | null = null;
  database.rows.set = (id: NotificationId, next: MemoryRow) => {
    const before = database.rows.get(id)?.row ?? null;
    const by = process?.name ?? '';
    const atMs = database.clock.nowMs();
    const { claim, cycle } = next.row;
    if (claim !== null && claim.token !== before?.claim?.token) {
      const known = claims.get(id) ?? [];
      known.push({ atMs, by, cycle, claim });
      claims.set(id, known);
    }
    for (const judge of judges) judge({ before, after: next.row, atMs, by, process });
    return put(id, next);
  };
  return {
    claimsOf: (id) => claims.get(id) ?? [],
    onTransition: (judge) => void judges.push(judge),
    onCall: (judge) => void callJudges.push(judge),
    serving(next) {
      process = next;
    },
    configsSeenBy: (reader) => configsSeen.get(reader) ?? [],
    sawConfigs(reader) {
      configsSeen.set(reader, [...(configsSeen.get(reader) ?? []), database.clock.nowMs()]);
    },
    called(call) {
      const row = database.rows.get(call.reference)?.row ?? null;
      for (const judge of callJudges) judge(call, row);
    },
  };
}

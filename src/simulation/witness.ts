// Sees every row as it is committed, and every call as it starts, and keeps what the invariants need to know of the past. It judges nothing.
import type { Claim, Notification } from '../domain/notification.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import { lastEntry } from '../domain/trail.ts';
import type { MemoryDatabase, MemoryRow } from '../state/memory-database.ts';
import type { Controls, Insertion, RowWrite } from '../state/store.ts';
import type { Incarnation } from './incarnation.ts';
import type { LedgerCall } from './ledger.ts';

export interface CommittedClaim {
  readonly atMs: number;
  readonly by: string;
  readonly cycle: number;
  readonly claim: Claim;
  /** It was the channel's fault, as the row says: such an attempt does not count. */
  isGivenBack: boolean;
}

export interface Transition {
  readonly before: Notification | null;
  readonly after: Notification;
  readonly atMs: number;
  /** The process whose flush it was. */
  readonly by: string;
  /** What operators had set, as far as the process knew that decided this; null: it had not heard yet. */
  readonly known: Controls | null;
}

export interface Witness {
  claimsOf(id: NotificationId): readonly CommittedClaim[];
  onTransition(judge: (transition: Transition) => void): void;
  onCall(judge: (call: LedgerCall, row: Notification | null) => void): void;
  /** When processes died, froze or lost their goodbye, oldest first. */
  silencesMs(): readonly number[];
  /** A process dies or freezes, or its goodbye is lost. */
  fellSilent(): void;
  /** The tables serve `process` now. */
  serving(process: Incarnation): void;
  called(call: LedgerCall): void;
  /** What operators have set arrived in `process`. */
  sawControls(process: Incarnation, controls: Controls): void;
  /** `process` decided on a write; it is committed some time later, or never. */
  decided(process: Incarnation, write: Insertion | RowWrite): void;
}

interface Heard {
  readonly atMs: number;
  readonly controls: Controls;
}

export function openWitness(database: MemoryDatabase): Witness {
  const claims = new Map<NotificationId, CommittedClaim[]>();
  const judges: ((transition: Transition) => void)[] = [];
  const callJudges: ((call: LedgerCall, row: Notification | null) => void)[] = [];
  const put = database.rows.set.bind(database.rows);
  const heard = new Map<Incarnation, Heard>();
  /** By the tokens of writes. */
  const knownBy = new Map<string, Controls>();
  const silencesMs: number[] = [];
  let process: Incarnation | null = null;
  database.rows.set = (id: NotificationId, next: MemoryRow) => {
    const before = database.rows.get(id)?.row ?? null;
    const by = process?.name ?? '';
    const atMs = database.clock.nowMs();
    const { claim, cycle } = next.row;
    if (claim !== null && claim.token !== before?.claim?.token) {
      const earlier = claims.get(id) ?? [];
      earlier.push({ atMs, by, cycle, claim, isGivenBack: false });
      claims.set(id, earlier);
    }
    noteGivenBack(claims.get(id) ?? [], before, next.row);
    const known = knownBy.get(next.writeToken) ?? null;
    for (const judge of judges) judge({ before, after: next.row, atMs, by, known });
    return put(id, next);
  };
  return {
    claimsOf: (id) => claims.get(id) ?? [],
    onTransition: (judge) => void judges.push(judge),
    onCall: (judge) => void callJudges.push(judge),
    silencesMs: () => silencesMs,
    fellSilent: () => void silencesMs.push(database.clock.nowMs()),
    serving(next) {
      process = next;
    },
    sawControls: (reader, controls) => void heard.set(reader, { atMs: database.clock.nowMs(), controls }),
    decided(decider, { writeToken }) {
      const last = heard.get(decider);
      // What arrived this very moment may not have reached the rules yet.
      if (last !== undefined && last.atMs < database.clock.nowMs()) knownBy.set(writeToken, last.controls);
    },
    called(call) {
      const row = database.rows.get(call.reference)?.row ?? null;
      for (const judge of callJudges) judge(call, row);
    },
  };
}

function noteGivenBack(
  claims: readonly CommittedClaim[],
  before: Notification | null,
  { claim, version, trail }: Notification,
): void {
  const ended = before?.claim;
  if (ended == null || claim !== null || version === before?.version) return;
  if (lastEntry(trail)?.rule !== 'misconfigured') return;
  for (const one of claims) if (one.claim.token === ended.token) one.isGivenBack = true;
}

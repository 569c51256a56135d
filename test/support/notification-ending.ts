// How a notification stands or ended, as everybody but the product tells it: the vendors' ledgers, the topic's bytes, the table by plain
// SQL. `contradictions` are sentences about sources that disagree.
import { parseTrail } from '../../src/domain/trail.ts';
import type { HttpVendor } from '../../src/lab/http-vendor.ts';
import { decodeDispatched } from '../../src/streams/dispatched.ts';
import type { RealWorld } from './real-service.ts';
import { until } from './until.ts';

export interface Ending {
  /** `Sent accepted`, `Failed NTF_OUTCOME_UNKNOWN`: the status on the topic, and its error or evidence. */
  readonly ends: string;
  readonly messages: number;
  readonly calls: number;
  readonly attempts: number;
  /** Attempts that the row's trail calls possible duplicates. */
  readonly resends: number;
  /** Records of the outcome on the topic. */
  readonly records: number;
  readonly trail: string;
  readonly contradictions: readonly string[];
}

export async function endingOf(
  world: RealWorld,
  vendors: readonly HttpVendor[],
  id: string,
): Promise<Ending> {
  const records = world.seen.of(world.topics.dispatched, id);
  const [first] = records;
  const answer = first === undefined ? null : await decodeDispatched(world.codec, first);
  const outcome = answer?.kind === 'decoded' ? answer.value : null;
  const row = (await world.row(id)) ?? {};
  const trail = String(row['trail']);
  const keys = callsOf(vendors, id).map(({ idempotencyKey }) => idempotencyKey);
  const bytes = records.map(({ key, value, headers }) => JSON.stringify([key, value, headers]));
  const rowSays = ['status', 'attempts', 'outcome_seq', 'published_seq'].map((column) => row[column]).join();
  const topicSays = [
    ...[outcome?.status, outcome?.attempts],
    ...[outcome?.outcomeSeq, outcome?.outcomeSeq],
  ].join();
  return {
    ends: `${outcome?.status ?? 'no outcome'} ${outcome?.errorCode ?? outcome?.evidence ?? ''}`,
    messages: messagesOf(vendors, id).length,
    calls: keys.length,
    attempts: Number(row['attempts']),
    resends: parseTrail(trail).filter(({ facts }) => facts['resend'] === '1').length,
    records: records.length,
    trail,
    contradictions: [
      ...(new Set(bytes).size === 1 ? [] : ['the records of its outcome differ']),
      ...(rowSays === topicSays ? [] : [`the row says ${rowSays}, the topic ${topicSays}`]),
      ...(keys.every((key) => key === `${id}:0`) ? [] : [`its calls had the keys ${keys.join()}`]),
    ],
  };
}

/** Where its walk is, in a word, by its row. */
export function whereabouts(row: Readonly<Record<string, unknown>> | null): string {
  if (row === null) return 'no row';
  if (row['claim_token'] !== null) return 'claimed';
  if (row['final'] === null) return 'waiting';
  return row['published_seq'] === row['outcome_seq'] ? 'outcome marked' : 'outcome owed';
}

/** Waits until all are final, published and marked. @throws Fault TEST_WAITED with those that are not */
export async function allEnded(world: RealWorld, ids: readonly string[], limitMs: number): Promise<void> {
  let open: readonly unknown[] = [];
  await until(
    () => `the end of ${JSON.stringify(open)}`,
    async () => {
      const rows = await world.query('select * from notifications where id = any($1)', [ids]);
      const whereOf = new Map(rows.map((row) => [row['id'], whereabouts(row)]));
      open = ids.flatMap((id) =>
        whereOf.get(id) === 'outcome marked' ? [] : [[id, whereOf.get(id) ?? 'no row']],
      );
      return open.length === 0 ? true : null;
    },
    limitMs,
  );
}

/** Requests that the group has not committed. */
export async function uncommittedRequests(world: RealWorld): Promise<number> {
  const admin = await world.servers.log.admin();
  try {
    const lags = await admin.lag(world.topics.groupId, [world.topics.requested]);
    return lags.reduce((sum, { committed, start, end }) => sum + end - (committed ?? start), 0);
  } finally {
    await admin.close();
  }
}

export function callsOf(vendors: readonly HttpVendor[], id: string) {
  return vendors.flatMap(({ ledger }) => ledger.calls.filter(({ reference }) => reference === id));
}

export function messagesOf(vendors: readonly HttpVendor[], id: string) {
  return vendors.flatMap(({ ledger }) => ledger.messages.filter(({ reference }) => reference === id));
}

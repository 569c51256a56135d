// What upstream asked for against what became of it: first payload wins, tenants stay apart, only broken contracts become dead letters.
import type { LogRecord } from '../../broker/log.ts';
import type { NotificationRequest } from '../../domain/request.ts';
import type { Asked, Stage } from '../stage.ts';
import type { Named } from './at-rest.ts';

export const requestInvariants: Named = {
  'S12 first payload wins': firstPayloadWins,
  'S15 tenants stay apart': tenantsStayApart,
  'S18 the in-app copy arrives': copyArrives,
  'S19 only broken contracts are dead letters': onlyBrokenContracts,
};

const sayingOf = ({ tenantId, data }: NotificationRequest) => JSON.stringify([tenantId, data]);

function firstPayloadWins(stage: Stage): string | null {
  for (const asked of stage.asked.values()) {
    const counts = countingPayload(stage, asked);
    const kept = stage.database.rows.get(asked.id)?.content?.request;
    if (counts === undefined || kept === undefined) return `${asked.id} has no content that was asked for`;
    if (sayingOf(kept) !== sayingOf(counts)) return `${asked.id} says what was asked for second`;
  }
  return null;
}

function tenantsStayApart(stage: Stage): string | null {
  for (const asked of stage.asked.values()) {
    const row = stage.database.rows.get(asked.id)?.row;
    if (row?.tenantId !== countingPayload(stage, asked)?.tenantId) return `${asked.id} changed its tenant`;
  }
  return null;
}

/** The first one; of what was left alone and put back, whichever came first then. */
function countingPayload(
  { database, leftAlone }: Stage,
  { id, payloads }: Asked,
): NotificationRequest | undefined {
  if (!leftAlone.has(id)) return payloads[0];
  const kept = database.rows.get(id)?.content?.request;
  return payloads.find((payload) => kept !== undefined && sayingOf(payload) === sayingOf(kept));
}

function copyArrives({ asked, database, ledger }: Stage): string | null {
  for (const { id, payloads } of asked.values()) {
    const row = database.rows.get(id)?.row;
    // A copy that a cancel took back stays away when the delivery is redriven.
    if (payloads[0]?.inApp == null || row === undefined || row.cycle > 0) continue;
    const wasCalled = ledger.calls.some(({ reference }) => reference === id);
    if (row.inAppStatus === 'waiting' || (wasCalled && row.inAppStatus !== 'arrived'))
      return `${id}: its copy is ${row.inAppStatus}`;
  }
  return null;
}

function onlyBrokenContracts({ asked, broker, topics, poison }: Stage): string | null {
  const letters = broker.partitions.all(topics.dlq);
  const conflicting = [...asked.values()].filter(isConflicting);
  const reasons = new Map<string, Set<string>>();
  for (const letter of letters) {
    const reason = reasonOf(letter);
    const keys = reasons.get(reason) ?? new Set();
    reasons.set(reason, keys.add(Buffer.from(letter.key ?? []).toString()));
  }
  const conflicts = reasons.get('payload-conflict') ?? new Set();
  const lost = conflicting.find(({ id }) => !conflicts.has(id));
  if (lost !== undefined) return `${lost.id}: the second payload is no dead letter`;
  const wrong = [...conflicts].find((key) => !conflicting.some(({ id }) => id === key));
  if (wrong !== undefined) return `${wrong} is a dead letter without a conflict`;
  const broken = letters.some((letter) => reasonOf(letter) !== 'payload-conflict');
  return broken === poison.count > 0
    ? null
    : `${poison.count} broken records, and dead letters of them: ${broken}`;
}

function isConflicting({ payloads }: Asked): boolean {
  return new Set(payloads.map(sayingOf)).size > 1;
}

function reasonOf({ headers }: LogRecord): string {
  return Buffer.from(headers['pin-dlq-reason'] ?? []).toString();
}

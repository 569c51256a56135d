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

function firstPayloadWins({ asked, database, leftAlone }: Stage): string | null {
  for (const { id, payloads } of asked.values()) {
    if (leftAlone.has(id)) continue;
    const [first] = payloads;
    const kept = database.rows.get(id)?.content?.request;
    if (first === undefined || kept === undefined) return `${id} has no content`;
    if (sayingOf(kept) !== sayingOf(first)) return `${id} says what was asked for second`;
  }
  return null;
}

function tenantsStayApart({ asked, database }: Stage): string | null {
  for (const { id, payloads } of asked.values())
    if (database.rows.get(id)?.row.tenantId !== payloads[0]?.tenantId) return `${id} changed its tenant`;
  return null;
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

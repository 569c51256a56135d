// The records of the audit's topics as facts. Values are decoded by the same schemas as everybody's; what cannot be read is a fact
// too. Memory stays bounded: known schemas decode before the next fetch arrives, and a registry that stalls ends the audit.
import { hash } from 'node:crypto';
import type { LogRecord } from '../../broker/log.ts';
import { parseNotificationId } from '../../domain/notification-id.ts';
import type { ProviderWebhook } from '../../domain/provider-webhook.ts';
import type { OutcomeSaid } from '../../ops/audit-facts.ts';
import { Fault } from '../../runtime/fault.ts';
import type { Codec } from '../../streams/codec.ts';
import { decodeDispatched } from '../../streams/dispatched.ts';
import { decodeProviderWebhook } from '../../streams/provider-webhook.ts';
import { decodeRequested } from '../../streams/requested.ts';

/** Records that wait for a schema. */
const MAX_UNDECODED = 100_000;

export interface ReadRequest {
  /** null: the key is no NotificationId. */
  readonly id: string | null;
  /** null: it breaks its contract. */
  readonly payloadHash: string | null;
}

export interface Decoding {
  /** Works on a record in the background. */
  start(work: () => Promise<void>): void;
  /** Resolves when all is done. @throws what the first work threw, Fault AUDIT_TOO_LARGE */
  done(): Promise<void>;
}

export function decoding(): Decoding {
  const open = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | null = null;
  return {
    start(work) {
      if (failure !== null) return;
      if (open.size >= MAX_UNDECODED) {
        failure = { error: tooSlow() };
        return;
      }
      const running = work()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => open.delete(running));
      open.add(running);
    },
    async done() {
      await Promise.all(open);
      if (failure !== null) throw failure.error;
    },
  };
}

/** null: a record of another type, which is nobody's request here. @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function readRequest(codec: Codec, record: LogRecord): Promise<ReadRequest | null> {
  const answer = await decodeRequested({ codec, hashRecipient: () => '' }, record);
  switch (answer.kind) {
    case 'skipped':
      return null;
    case 'decoded':
      return { id: answer.value.request.notificationId, payloadHash: answer.value.content.payloadHash };
    case 'violation':
      return { id: keyOf(record), payloadHash: null };
  }
}

/** null: the value cannot be read. @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function readOutcome(codec: Codec, record: LogRecord): Promise<OutcomeSaid | null> {
  const answer = await decodeDispatched(codec, record);
  if (answer.kind !== 'decoded') return null;
  const { outcomeSeq, supersedes, status, reason, cycle, attempts, providerMessageId } = answer.value;
  return { seq: outcomeSeq, supersedes, status, reason, cycle, attempts, providerMessageId };
}

/** null: it cannot be read, and is in quarantine. @throws Fault REGISTRY_UNAVAILABLE (retriable) */
export async function readWebhook(codec: Codec, record: LogRecord): Promise<ProviderWebhook | null> {
  const answer = await decodeProviderWebhook(codec, record);
  return answer.kind === 'decoded' ? answer.value : null;
}

/** The key as an id; null when it is none. */
export function keyOf(record: LogRecord): string | null {
  return record.key === null ? null : parseNotificationId(Buffer.from(record.key).toString('latin1'));
}

/** Of what a repeat must have in common: key, value and ce_ headers. */
export function digestOf({ key, value, headers }: LogRecord): string {
  const names = Object.keys(headers)
    .filter((name) => name.startsWith('ce_'))
    .sort();
  const parts = [key, value, ...names.flatMap((name) => [Buffer.from(name), headers[name] ?? null])];
  const framed = parts.flatMap((part) => [
    Buffer.from(`${part?.length ?? 'none'}:`),
    part ?? new Uint8Array(),
  ]);
  return hash('sha256', Buffer.concat(framed), 'base64');
}

/** `partition/offset` of the original that a dead letter names; null when it names none of `topic`. */
export function originOf({ headers }: LogRecord, topic: string): string | null {
  const header = (name: string) => Buffer.from(headers[`pin-origin-${name}`] ?? []).toString('latin1');
  return header('topic') === topic ? `${header('partition')}/${header('offset')}` : null;
}

function tooSlow(): Fault {
  const sentence = `more than ${MAX_UNDECODED} records wait for the schema registry`;
  return new Fault('REGISTRY_UNAVAILABLE', sentence, { retriable: true });
}

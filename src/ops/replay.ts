// What was put aside, as what it was before: the record that goes back to where it came from, byte for byte, or a sentence why nothing can.
import type { LogRecord, OutgoingRecord } from '../broker/log.ts';
import type { ParkedWebhook } from '../domain/provider-webhook.ts';
import type { QuarantinedBytes } from '../state/quarantine-book.ts';
import { originOfDeadLetter } from '../streams/dead-letter.ts';
import type { Topics } from '../streams/topics.ts';

export type Replay =
  | { readonly kind: 'record'; readonly record: OutgoingRecord }
  /** A report that is kept again for whoever knows its message. */
  | { readonly kind: 'park'; readonly webhook: ParkedWebhook }
  | { readonly kind: 'impossible'; readonly why: string };

const UUID_BYTES = 36;

export function replayOfDeadLetter(topics: Topics, letter: LogRecord): Replay {
  const { topic, partition, headers } = originOfDeadLetter(letter);
  if (topic !== topics.requested)
    return impossible(
      `it came from ${topic === '' ? 'nowhere that it names' : topic}, which is not the request topic`,
    );
  return {
    kind: 'record',
    record: backTo({ topic, partition, headers, key: letter.key, value: letter.value }),
  };
}

export function replayOfQuarantined(topics: Topics, entry: QuarantinedBytes): Replay {
  const { reason, topic, partition, key, value } = entry;
  if (reason === 'late-answer')
    return impossible(
      'it is an answer to a call of a notification that was purged meanwhile: nobody waits for it',
    );
  if (reason === 'row-refused')
    return impossible(
      'it holds a row that Postgres refused, not a record: once the cause is found, ask for the notification again',
    );
  if (reason === 'webhook-unmatched') return parkedAgain(value);
  if (topic === null || !topics.inputs.includes(topic))
    return impossible(`it came from ${topic ?? 'no topic'}, which is none of our inputs`);
  return { kind: 'record', record: backTo({ topic, partition, headers: {}, key, value }) };
}

/** By its key, as its first producer did; without a usable key to the partition it lay in. */
function backTo(original: OutgoingRecord): OutgoingRecord {
  return original.key?.length === UUID_BYTES ? { ...original, partition: null } : original;
}

function parkedAgain(value: Uint8Array | null): Replay {
  try {
    const webhook = JSON.parse(Buffer.from(value ?? []).toString('utf8')) as ParkedWebhook;
    return { kind: 'park', webhook };
  } catch {
    return impossible('its bytes are no webhook');
  }
}

function impossible(why: string): Replay {
  return { kind: 'impossible', why };
}

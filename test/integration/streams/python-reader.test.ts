// The dispatched record as analytics gets it: registered in a real registry, read by a program that shares no code with us.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemTimers } from '../../../src/runtime/timers.ts';
import { openCodec } from '../../../src/streams/codec.ts';
import { confluentRegistry } from '../../../src/streams/confluent-registry.ts';
import { decodeDispatched, dispatchedRecord } from '../../../src/streams/dispatched.ts';
import { pushSchemas } from '../../../src/streams/schema-check.ts';
import { topicsOf } from '../../../src/streams/topics.ts';
import { aNotification, aRequest, NOW_MS } from '../../support/a-notification.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { received, stoppedClock } from '../../unit/streams/a-codec.ts';

const READER = 'test/support/python/read_dispatched.py';
const SCHEMA = 'schemas/notification-dispatched-event.avsc';

function readInPython(value: Uint8Array | null): { schemaId: number; value: unknown } {
  const input = `${Buffer.from(value ?? []).toString('base64')}\n`;
  // Debian's own Python, where python3-avro is installed.
  const output = execFileSync('/usr/bin/python3', [READER, SCHEMA], { input, encoding: 'utf8' });
  return JSON.parse(output) as { schemaId: number; value: unknown };
}

describe('python3-avro', () => {
  it('reads a dispatched record as we do', async () => {
    const registry = confluentRegistry({ timers: systemTimers, url: stackAddresses().registryUrl });
    const topics = topicsOf({ prefix: `test-${randomUUID().slice(0, 8)}` });
    const pushed = await pushSchemas(registry, topics);
    const codec = await openCodec({ registry, clock: stoppedClock }, topics);
    const request = aRequest({ correlationId: 'c-1', attributes: { campaign: 'осень', a: '1' } });
    const row = aNotification({
      status: 'Sent',
      outcomeSeq: 1,
      firstAttemptAtMs: NOW_MS + 1,
      outcomeAtMs: NOW_MS + 1_234,
      outcome: {
        schemaVersion: 1,
        seq: 1,
        supersedes: null,
        status: 'Sent',
        reason: 'accepted',
        providerKey: 'mail',
        cycle: 1,
        attempts: 1,
        maxAttempts: 5,
        providerMessageId: 'm-1',
        error: null,
        evidence: 'accepted',
      },
    });
    const content = { request, payloadHash: '', recipientHash: 'ab', traceparent: null };
    const record = dispatchedRecord(topics, codec, row, content);
    const ours = await decodeDispatched(codec, received(record));
    const theirs = readInPython(record.value);
    expect(ours.kind === 'decoded' && { ...ours.value }).toEqual(theirs.value);
    const answer = pushed.find(({ subject }) => subject === `${topics.dispatched}-value`)?.answer;
    expect(answer?.kind === 'incompatible' ? null : answer?.id).toBe(theirs.schemaId);
  });
});

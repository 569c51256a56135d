import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '../../../src/app/exit-codes.ts';
import { runPin } from '../../../src/app/program.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import { encodeRequest } from '../../../src/streams/requested.ts';
import { freshRequest } from '../../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../../support/real-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'pin-audit-'));
const ledgerFile = join(folder, 'ledger.jsonl');
let service: RealService;

beforeAll(async () => {
  service = await startRealService({
    vendor: { ledgerFile },
    channels: [testChannel('email', { maxAttempts: 2 })],
  });
}, 60_000);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Audited {
  readonly violationCount: number;
  readonly violations: readonly { readonly rule: string; readonly id: string; readonly found: string }[];
  readonly counts: Readonly<Record<string, number>>;
}

async function audit(...args: readonly string[]): Promise<Audited & { readonly exitCode: number }> {
  const out: string[] = [];
  const environment = {
    ...service.environment,
    stdout: { write: (text: string) => out.push(text), isTerminal: false },
  };
  const exitCode = await runPin(['audit', '--json', ...args], environment);
  return { exitCode, ...(JSON.parse(out.join('')) as Audited) };
}

/** Sent after a failure, exhausted, refused as a second payload, and broken: one of each, to their ends. */
async function aFewEnds(): Promise<string> {
  const busy = { kind: 'error', status: 503, code: 'busy', retriable: true } as const;
  const [sent, exhausted] = [freshRequest(), freshRequest()];
  service.vendor.plan(sent.notificationId, [busy]);
  service.vendor.plan(exhausted.notificationId, [busy, busy]);
  for (const request of [sent, sent, exhausted, { ...sent, recipient: 'eve@example.com' }])
    await service.send(request);
  const { key, ...rest } = encodeRequest(service.topics, service.codec, freshRequest(), null);
  await service.produce({ ...rest, key, value: Buffer.from('no avro') });
  for (const { notificationId } of [sent, exhausted]) {
    await service.outcome(notificationId);
    await service.rowWhere(notificationId, (row) => row['published_seq'] === row['outcome_seq']);
  }
  await service.seen.atLeast(service.topics.dlq, null, 2);
  return sent.notificationId;
}

it('finds nothing wrong with ends of every kind, then every promise that is broken by hand', async () => {
  const id = await aFewEnds();
  const good = await audit('--quiescent', '--ledger', ledgerFile);
  expect(good).toMatchObject({ exitCode: EXIT.ok, violations: [] });
  expect(good.counts).toMatchObject({ requests: 3, rows: 2, outcomes: 2, deadLetters: 1, messages: 1 });
  expect(await audit()).toMatchObject({ exitCode: EXIT.ok, violations: [] });

  await service.query(`update notifications set status = 'Failed' where id = $1`, [id]);
  const [record] = service.seen.of(service.topics.dispatched, id);
  invariant(record !== undefined, 'its outcome was seen');
  const { topic, key, value, headers } = record;
  await service.produce({
    topic,
    partition: null,
    key,
    headers: { ...headers, ce_id: Buffer.from('x') },
    value,
  });
  writeFileSync(ledgerFile, `${JSON.stringify({ reference: id, cycle: 0, outcome: 'delivered' })}\n`, {
    flag: 'a',
  });
  const bad = await audit('--ledger', ledgerFile);
  expect(bad.exitCode).toBe(EXIT.failure);
  expect(bad.violations.map(({ rule, id: at, found }) => [at, rule, found])).toEqual([
    [id, 'S1', '2 in the ledger'],
    // How often the redelivered request had it published again is not the question.
    [id, 'S3', expect.stringMatching(/^1 of \d differ from the first$/)],
    [id, 'S3', 'Sent'],
  ]);

  await service.query('delete from notifications where id = $1', [id]);
  await expect
    .poll(async () => new Set((await audit()).violations.map(({ rule }) => rule)))
    .toEqual(new Set(['conservation', 'offsets', 'S3']));
});

// Every way to ask for a notification, as its users do it, ends in Sent: the command line, kcat, a client in another language.
// And what comes out is read by a program that shares no code with ours. On real servers.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { encodeRequest } from '../../src/streams/requested.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { needs, PYTHON } from '../support/needed-tool.ts';
import { pin } from '../support/pin-process.ts';
import { type RealService, startRealService } from '../support/real-service.ts';

vi.setConfig({ testTimeout: 60_000 });

const run = promisify(execFile);
const RUN_LIMIT_MS = 30_000;
const SCHEMA = 'schemas/notification-requested.avsc';
const OUTCOME_SCHEMA = 'schemas/notification-dispatched-event.avsc';

let service: RealService;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pin-ways-in-'));
  service = await startRealService();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.stop();
});

describe('pin send', () => {
  const body = { subject: 'Hello', text: 'Hello, Ada' };

  test('by flags prints the id that it asked for', async () => {
    const flags = ['--channel', 'email', '--to', 'ada@example.com', '--subject', 'Hello', '--text', 'Hi'];
    const { code, stdout } = await pin(['send', ...flags], service.environment.variables);
    expect(code).toBe(0);
    await expectSent(idsIn(stdout), 1);
  });

  test('from a file of JSON lines sends each of them, once the whole file is sound', async () => {
    const path = join(folder, 'requests.jsonl');
    const ids = [randomUUID(), randomUUID()];
    const lines = ids.map((notificationId) =>
      JSON.stringify({ notificationId, channel: 'email', recipient: 'ada@example.com', body }),
    );
    writeFileSync(path, [...lines, '{"channel":"fax"}'].join('\n'));
    const refused = await pin(['send', '--file', path], service.environment.variables);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('line 3');
    writeFileSync(path, lines.join('\n'));
    const sent = await pin(['send', '--file', path], service.environment.variables);
    expect([sent.code, idsIn(sent.stdout)]).toEqual([0, ids]);
    await expectSent(ids, 2);
    for (const id of ids) expect(service.seen.of(service.topics.requested, id)).toHaveLength(1);
  });

  test('from stdin takes an array and prints JSON when asked', async () => {
    const requests = [{ channel: 'email', recipient: 'ada@example.com', body, notAfter: '10m' }];
    const { code, stdout } = await pin(
      ['send', '--json'],
      service.environment.variables,
      JSON.stringify(requests),
    );
    expect(code).toBe(0);
    const { notificationId, topic } = JSON.parse(stdout) as { notificationId: string; topic: string };
    expect(topic).toBe(service.topics.requested);
    await expectSent([notificationId], 1);
  });
});

describe('kcat', () => {
  test('delivers a framed value from a file, with and without headers, whatever partition it chose', async (context) => {
    needs(context, 'kcat');
    const ids: string[] = [];
    for (const headers of [[], ['-H', 'ce_type=NotificationRequested'], ['-H', 'x-upstream=orders']]) {
      const request = freshRequest();
      const path = join(folder, request.notificationId);
      writeFileSync(path, encodeRequest(service.topics, service.codec, request, null).value ?? '');
      const where = ['-b', brokers(), '-t', service.topics.requested, '-k', request.notificationId];
      await run('kcat', ['-P', ...where, ...headers, path], { timeout: RUN_LIMIT_MS });
      ids.push(request.notificationId);
    }
    await expectSent(ids, 3);
  });
});

describe('a client in Python', () => {
  test('asks with Apache’s Avro and the registry’s id, and the notification is sent', async (context) => {
    needs(context, 'kcat', 'python3-avro');
    const notificationId = randomUUID();
    const request = {
      notificationId,
      channel: 'email',
      recipient: 'ada@example.com',
      body: { subject: 'Привет', text: 'Hello from Python', html: null },
      data: {},
      requestedAt: systemClock.nowMs(),
      attributes: { client: 'python' },
    };
    await python('docs/examples/produce.py', clientOptions(), JSON.stringify(request));
    await expectSent([notificationId], 1);
    // It chose the partition as the Java clients do: the record was not produced again.
    expect(service.seen.of(service.topics.requested, notificationId)).toHaveLength(1);
    const [outcome] = await service.outcomesOf(notificationId);
    expect(outcome).toMatchObject({
      requestedAt: request.requestedAt,
      attributes: request.attributes,
    });
  });

  test('reads every dispatched record as we do', async (context) => {
    needs(context, 'python3-avro');
    const refused = freshRequest({ attributes: { campaign: 'осень' }, correlationId: 'c-1' });
    service.vendor.plan(refused.notificationId, [
      { kind: 'error', status: 422, code: 'invalid_recipient', retriable: false },
    ]);
    await service.send(refused);
    await service.outcome(refused.notificationId);
    const records = service.seen.of(service.topics.dispatched);
    const lines = records.map(({ value }) => Buffer.from(value ?? []).toString('base64'));
    const theirs = (
      await python('test/support/python/read_dispatched.py', [OUTCOME_SCHEMA], `${lines.join('\n')}\n`)
    )
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { value: { notificationId: string } }).value);
    expect(theirs).toHaveLength(records.length);
    for (const value of theirs) {
      const ours = await service.outcomesOf(value.notificationId);
      expect(ours.map((outcome) => ({ ...outcome }))).toContainEqual(value);
    }
    expect(theirs.map((value) => value.notificationId)).toContain(refused.notificationId);
  });
});

async function expectSent(ids: readonly string[], count: number): Promise<void> {
  expect(ids).toHaveLength(count);
  for (const id of ids) {
    expect(await service.outcome(id)).toMatchObject({ status: 'Sent', reason: 'accepted', attempts: 1 });
    expect(service.vendor.ledger.messages.filter(({ reference }) => reference === id)).toHaveLength(1);
  }
}

async function python(script: string, args: readonly string[], input: string): Promise<string> {
  const running = run(PYTHON, [script, ...args], { timeout: RUN_LIMIT_MS });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

function clientOptions(): readonly string[] {
  const { topics, config } = service;
  const where = ['--brokers', brokers(), '--registry', config.registry.url];
  return [...where, '--topic', topics.requested, '--schema', SCHEMA];
}

const brokers = () => service.config.kafka.brokers.join(',');
const idsIn = (stdout: string) => stdout.split('\n').filter((line) => line !== '');

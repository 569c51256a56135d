import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/app/exit-codes.ts';
import { runPin } from '../../../src/app/program.ts';
import { freshRequest } from '../../support/fresh-request.ts';
import { type RealService, startRealService, testEnvironment } from '../../support/real-service.ts';
import { serviceTable } from '../../support/service-table.ts';
import { stackAddresses } from '../../support/stack-servers.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Runs one command like a shell would, with a deadline of its own in the test runner. */
async function pin(variables: Variables, ...args: readonly string[]) {
  const printed = { out: [] as string[], err: [] as string[] };
  const set = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const environment = {
    ...testEnvironment(Object.fromEntries(set) as Record<string, string>),
    stdout: { write: (text: string) => printed.out.push(text), isTerminal: false },
    stderr: { write: (text: string) => printed.err.push(text), isTerminal: false },
  };
  const exitCode = await runPin(args, environment);
  return { exitCode, out: printed.out.join(''), err: printed.err.join('') };
}

function jsonLines<T>(text: string): readonly T[] {
  return text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

describe('a fresh set of servers', () => {
  const name = randomUUID().slice(0, 8);
  const addresses = stackAddresses();
  const variables: Variables = {
    PIN_KAFKA_BROKERS: addresses.kafkaBrokers.join(','),
    PIN_REGISTRY_URL: addresses.registryUrl,
    PIN_DATABASE_URL: addresses.databaseUrl,
    PIN_DATABASE_SCHEMA: `cli_${name}`,
    PIN_TOPIC_PREFIX: `pin.cli.t${name}`,
    PIN_PARTITIONS: '2',
    PIN_RETRY_TIERS: '1s,5s',
  };

  afterAll(() => serviceTable(addresses.databaseUrl, `cli_${name}`).drop());

  it('is not fit to start until the three commands that the check names have been run', async () => {
    const before = await pin(variables, 'check');
    expect(before.exitCode).toBe(EXIT.badConfiguration);
    for (const command of ['pin migrate up', 'pin schemas push']) expect(before.out).toContain(command);

    expect((await pin(variables, 'migrate', 'status')).exitCode).toBe(EXIT.failure);
    expect((await pin(variables, 'migrate', 'up')).exitCode).toBe(EXIT.ok);
    expect((await pin(variables, 'migrate', 'status')).exitCode).toBe(EXIT.ok);

    const missing = await pin(variables, 'check');
    expect(missing.out).toMatch(/topics are missing: .*pin topics apply/);
    expect((await pin(variables, 'topics', 'plan')).exitCode).toBe(EXIT.failure);
    expect((await pin(variables, 'topics', 'apply', '--dry-run')).exitCode).toBe(EXIT.ok);
    expect((await pin(variables, 'topics', 'apply')).err).toBe('7 created, 0 changed\n');
    expect((await pin(variables, 'topics', 'plan')).exitCode).toBe(EXIT.ok);

    const pushed = await pin(variables, 'schemas', 'push', '--json');
    expect(
      new Set(jsonLines<{ answer: { kind: string } }>(pushed.out).map(({ answer }) => answer.kind)),
    ).toEqual(new Set(['registered']));
    const again = await pin(variables, 'schemas', 'push', '--json');
    expect(
      new Set(jsonLines<{ answer: { kind: string } }>(again.out).map(({ answer }) => answer.kind)),
    ).toEqual(new Set(['present']));

    expect(await pin(variables, 'check')).toMatchObject({ exitCode: EXIT.ok, err: '' });
  });

  it('refuses a start with a lease that is too short for a provider, in one sentence', async () => {
    const provider = {
      PIN_PROVIDER_A_ADAPTER: 'http',
      PIN_PROVIDER_A_URL: 'http://127.0.0.1:1/',
      PIN_LEASE: '20s',
    };
    const { exitCode, out } = await pin({ ...variables, ...provider }, 'check');
    expect(exitCode).toBe(EXIT.badConfiguration);
    expect(out).toMatch(/PIN_LEASE \(20s\) is too short for provider a/);
  });

  it('refuses another partition count than the topics have', async () => {
    const { exitCode, out } = await pin({ ...variables, PIN_PARTITIONS: '3' }, 'topics', 'plan');
    expect(exitCode).toBe(EXIT.refused);
    expect(out).toMatch(/has 2 partitions and should have 3/);
  });

  it('takes settings of a channel and keeps them', async () => {
    expect(await pin(variables, 'channel', 'set', 'sms', '--provider', 'main', '--dry-run')).toMatchObject({
      exitCode: EXIT.ok,
    });
    expect(jsonLines((await pin(variables, 'channel', 'list', '--json')).out)).toEqual([]);
    await pin(variables, 'channel', 'set', 'sms', '--provider', 'main', '--max-attempts', '3');
    await pin(variables, 'channel', 'disable', 'sms');
    expect(jsonLines((await pin(variables, 'channel', 'list', '--json')).out)).toMatchObject([
      { channel: 'sms', isEnabled: false, providerKey: 'main', maxAttempts: 3 },
    ]);
  });

  it('has each request that was printed, with its recipient hidden', async () => {
    const sent = await pin(
      variables,
      'send',
      '--channel',
      'email',
      '--to',
      'ann@example.org',
      '--text',
      'hello',
    );
    const id = sent.out.trim();
    expect([sent.exitCode, sent.err]).toEqual([EXIT.ok, '']);
    const tail = await pin(variables, 'topics', 'tail', 'requested', '--from', 'start', '--count', '1');
    expect(jsonLines(tail.out)).toMatchObject([
      {
        key: id,
        headers: { ce_type: 'NotificationRequested' },
        value: { notificationId: id, recipient: '***', body: '***' },
      },
    ]);
    const shown = await pin(
      variables,
      'topics',
      'tail',
      'requested',
      '--from',
      'start',
      '--count',
      '1',
      '--with-content',
    );
    expect(jsonLines(shown.out)).toMatchObject([
      { value: { recipient: 'ann@example.org', body: { text: 'hello' } } },
    ]);
  });
});

describe('a running service', () => {
  let service: RealService;
  beforeAll(async () => {
    service = await startRealService();
  }, 60_000);
  afterAll(() => service.stop());

  it('tells the story of a notification that was retried, and lists it', async () => {
    const request = freshRequest();
    const id = request.notificationId;
    service.vendor.plan(id, [{ kind: 'error', status: 503, code: 'busy', retriable: true }]);
    await service.send(request);
    await service.outcome(id);
    await service.rowWhere(id, (row) => row['published_seq'] === row['outcome_seq']);

    const { variables } = service.environment;
    const { exitCode, out } = await pin(variables, 'show', id);
    expect(exitCode).toBe(EXIT.ok);
    const story = out.split('\n');
    for (const rule of ['claimed', 'transient', 'accepted']) expect(out).toContain(`[${rule}]`);
    expect(story.find((line) => line.startsWith('attempts'))).toMatch(/2$/);
    expect(out).toMatch(/Next: .*final \(accepted\)/);
    expect(out).not.toContain(request.recipient);

    const listed = jsonLines<{ id: string }>(
      (await pin(variables, 'list', '--final', 'accepted', '--since', '1h', '--json')).out,
    );
    expect(listed.map((row) => row.id)).toContain(id);
    expect(jsonLines((await pin(variables, 'list', '--status', 'failed', '--json')).out)).toEqual([]);
  });

  it('shows what waits in a tier as waiting, not as lag', async () => {
    const request = freshRequest({ notBeforeMs: service.environment.clock.nowMs() + 45_000 });
    await service.send(request);
    const { variables } = service.environment;
    await expect
      .poll(async () => (await pin(variables, 'show', request.notificationId)).exitCode)
      .toBe(EXIT.ok);
    const [report] = jsonLines<{ tiers: unknown[]; rows: { overdue: number } }>(
      (await pin(variables, 'lag', '--json')).out,
    );
    expect(report?.rows.overdue).toBe(0);
    expect(report?.tiers).toContainEqual({ tier: '30s', waiting: 1, due: 0, oldestDueMs: null });
  });

  it('lists a dead letter with its reason and shows it by its place', async () => {
    const { topics, environment } = service;
    const key = randomUUID();
    const record = {
      topic: topics.requested,
      partition: null,
      key: Buffer.from(key),
      value: Buffer.from('no avro'),
      headers: {},
    };
    await service.produce(record);
    const { variables } = environment;
    const list = async () =>
      jsonLines<{ key: string; place: string; reason: string }>(
        (await pin(variables, 'dlq', 'list', '--json')).out,
      );
    await expect
      .poll(async () => (await list()).map((letter) => letter.key), { timeout: 10_000 })
      .toContain(key);
    const letter = (await list()).find((one) => one.key === key);
    expect(letter?.reason).toBe('bad-magic');
    const shown = await pin(variables, 'dlq', 'show', letter?.place ?? '');
    expect(JSON.parse(shown.out)).toMatchObject({
      key,
      value: null,
      problem: expect.stringContaining('bad-magic') as string,
    });
    expect((await pin(variables, 'dlq', 'show', '0/999999')).exitCode).toBe(EXIT.notFound);
    expect((await pin(variables, 'quarantine', 'list')).exitCode).toBe(EXIT.ok);
  });
});

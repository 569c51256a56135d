// What operators stop and start again by the command line, and a provider that fails for everybody: nothing is sent meanwhile, no attempt
// is used, and afterwards everything is sent once. Two processors on real Kafka and Postgres; judged by ledger, table and topic.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { storeOfConfig } from '../../src/app/connections.ts';
import { EXIT } from '../../src/app/exit-codes.ts';
import { assembleProcessor, type RunningProcessor } from '../../src/app/processor-assembly.ts';
import { runPin } from '../../src/app/program.ts';
import { partitionFor } from '../../src/broker/partitioner.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { type HttpVendor, startHttpVendor } from '../../src/lab/http-vendor.ts';
import type { VendorAnswer } from '../../src/lab/vendor-answer.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { silentLogger } from '../../src/runtime/logger.ts';
import { systemTimers } from '../../src/runtime/timers.ts';
import type { NotificationStore } from '../../src/state/store.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';
import { until } from '../support/until.ts';

/** The breaker's first closings (10 s, 20 s), and those who wait come back spread over some more. */
const GATE_LIMIT_MS = 90_000;
const OVERLOADED: VendorAnswer = { kind: 'error', status: 503, code: 'overloaded', retriable: true };
/** Calls in flight at the closing are over, the probe has not begun. */
const PROBE_AFTER_MS = 5_000;
const MIN_CALLS = 5;
const CONCURRENCY = 4;
const PROCESSES = 2;

vi.setConfig({ testTimeout: GATE_LIMIT_MS + 30_000 });

let service: RealService;
let second: { readonly running: RunningProcessor; readonly store: NotificationStore };
let failing: HttpVendor;
let closed: HttpVendor;
beforeAll(async () => {
  const deps = { clock: systemClock, timers: systemTimers };
  [failing, closed] = await Promise.all([startHttpVendor(deps), startHttpVendor(deps)]);
  service = await startRealService({
    channels: [
      testChannel('email'),
      testChannel('sms'),
      testChannel('telegram', { providerKey: 'failing', maxAttempts: 3 }),
      testChannel('max', { providerKey: 'closed' }),
    ],
    variables: {
      PIN_BREAKER_MIN_CALLS: String(MIN_CALLS),
      PIN_PROVIDER_FAILING_ADAPTER: 'http',
      PIN_PROVIDER_FAILING_URL: failing.url,
      PIN_PROVIDER_FAILING_CONCURRENCY: String(CONCURRENCY),
      PIN_PROVIDER_CLOSED_ADAPTER: 'http',
      PIN_PROVIDER_CLOSED_URL: closed.url,
    },
  });
  const { environment, config, servers, metrics } = service;
  const store = storeOfConfig(environment, config, silentLogger);
  const logged = { logger: silentLogger, metrics };
  const running = await assembleProcessor(environment, config, { ...servers, store }, logged);
  second = { running, store };
  await until('both to have a task', () =>
    processors().every((one) => one.tasks().length === 1) ? true : null,
  );
});
afterAll(async () => {
  await second.running.stop();
  await second.store.close();
  await service.stop();
  await Promise.all([failing.close(), closed.close()]);
});

const processors = () => [service.running.processor, second.running.processor];
const gatesOf = (provider: string) =>
  processors().map((one) => one.gates().find(({ providerKey }) => providerKey === provider)?.state);

async function pin(...args: readonly string[]) {
  const out: string[] = [];
  const stdout = { write: (text: string) => out.push(text), isTerminal: false };
  const exitCode = await runPin(args, { ...service.environment, stdout });
  return { exitCode, out: out.join('') };
}

async function sent(count: number, over: Partial<NotificationRequest>) {
  const requests = Array.from({ length: count }, () => freshRequest(over));
  await Promise.all(requests.map((request) => service.send(request)));
  return requests.map(({ notificationId }) => notificationId);
}

/** Until each processor holds what it is asked for: a request for the partition of each. */
async function untilFollowed(own: Partial<NotificationRequest>): Promise<void> {
  for (let partition = 0; partition < PROCESSES; partition += 1)
    await until(`the processor of partition ${partition} to hold`, async () => {
      const request = requestIn(partition, own);
      await service.send(request);
      const isEnd = (row: Record<string, unknown>) => row['hold_reason'] !== null || row['final'] !== null;
      const row = await service.rowWhere(request.notificationId, isEnd);
      return row['hold_reason'] === null ? null : true;
    });
}

function requestIn(partition: number, own: Partial<NotificationRequest>): NotificationRequest {
  for (;;) {
    const request = freshRequest(own);
    const key = new TextEncoder().encode(request.notificationId);
    if (partitionFor(key, PROCESSES) === partition) return request;
  }
}

const callsOf = ({ ledger }: HttpVendor, id: string) =>
  ledger.calls.filter(({ reference }) => reference === id);

describe('a pause', () => {
  const template = { template: { key: 'welcome', version: null, locale: null }, body: null };
  test.each([
    ['a tenant', ['--tenant', 'acme'], 'tenant:acme', { tenantId: 'acme' }, { tenantId: 'other' }],
    ['no tenant', ['--tenant-none'], 'tenant-none', { tenantId: null }, { tenantId: 'none' }],
    ['a template', ['--template', 'welcome'], 'template:welcome', template, {}],
    ['a channel', ['--channel', 'sms'], 'channel:sms', { channel: 'sms', recipient: '+15550100' }, {}],
  ] as const)(
    'of %s holds its own until it is resumed, and they are sent once',
    async (_what, scope, key, own, other) => {
      expect((await pin('pause', ...scope, '--reason', 'wrong prices', '--actor', 'ada')).exitCode).toBe(
        EXIT.ok,
      );
      await untilFollowed(own);
      const held = await sent(3, own);
      const [free = ''] = await sent(1, other);
      expect(await service.outcome(free)).toMatchObject({ status: 'Sent' });
      for (const id of held)
        expect(await service.rowWhere(id, (row) => row['hold_reason'] !== null)).toMatchObject({
          ...{ status: 'Pending', final: null, attempts: 0, hold_reason: 'paused', hold_pause: key },
          ...{ wake_at: null, claim_token: null },
        });
      const story = await pin('show', held[0] ?? '');
      expect(story.out).toContain('wrong prices');
      expect(story.out).toContain(`pin resume ${scope.join(' ')}`);
      expect((await pin('pause', 'list')).out).toContain('ada');
      expect(held.flatMap((id) => callsOf(service.vendor, id))).toHaveLength(0);

      expect((await pin('resume', ...scope)).exitCode).toBe(EXIT.ok);
      for (const id of held) {
        expect(await service.outcome(id)).toMatchObject({ status: 'Sent', attempts: 1 });
        expect(callsOf(service.vendor, id)).toHaveLength(1);
      }
      expect((await pin('resume', ...scope)).exitCode).toBe(EXIT.notFound);
    },
  );

  test('that another outlives lets nobody go who is held by both', async () => {
    const both = { tenantId: 'both', body: null, template: { key: 'both', version: null, locale: null } };
    await pin('pause', '--tenant', 'both', '--reason', 'one');
    await pin('pause', '--template', 'both', '--reason', 'two');
    await untilFollowed(both);
    const [id = ''] = await sent(1, both);
    await service.rowWhere(id, (row) => row['hold_pause'] === 'tenant:both');
    await pin('resume', '--tenant', 'both');
    await service.rowWhere(id, (row) => row['hold_pause'] === 'template:both');
    expect(callsOf(service.vendor, id)).toHaveLength(0);
    await pin('resume', '--template', 'both');
    expect(await service.outcome(id)).toMatchObject({ status: 'Sent', attempts: 1 });
  });
});

describe('a gate', () => {
  test('that an operator closed keeps every process away without an attempt, until it is opened', async () => {
    await pin('gate', 'close', 'closed', '--for', '1h', '--reason', 'their incident', '--actor', 'bob');
    await until('both to follow', () =>
      gatesOf('closed').every((state) => state === 'closed-by-operator') ? true : null,
    );
    const ids = await sent(6, { channel: 'max' });
    for (const id of ids)
      expect(await service.rowWhere(id, (row) => row['wake_at'] !== null)).toMatchObject({
        ...{ status: 'Pending', final: null, attempts: 0, hold_reason: null, claim_token: null },
      });
    expect(closed.ledger.calls).toHaveLength(0);
    const story = await pin('show', ids[0] ?? '');
    expect(story.out).toContain('bob closed it until');
    const listed = await until('both to say it', async () => {
      const { out } = await pin('gate', 'list', '--json');
      const line = out.split('\n').find((text) => text.includes('"provider":"closed"'));
      const gate = JSON.parse(line ?? '{}') as { operator?: unknown; processes?: { state: string }[] };
      const said = gate.processes?.filter(({ state }) => state === 'closed-by-operator');
      return said?.length === PROCESSES ? gate : null;
    });
    expect(listed.operator).toMatchObject({ state: 'closed', by: 'bob', reason: 'their incident' });

    await pin('gate', 'open', 'closed', '--reason', 'over');
    for (const id of ids)
      expect(await service.outcome(id, 1, GATE_LIMIT_MS)).toMatchObject({ status: 'Sent', attempts: 1 });
    expect(closed.ledger.calls).toHaveLength(ids.length);
    expect(gatesOf('closed')).toEqual(['open', 'open']);
  });

  test('closes by itself while a provider fails for everybody, so that nobody’s budget is used up', async () => {
    failing.rule(() => OVERLOADED);
    const ids = await sent(60, { channel: 'telegram' });
    await until('both to close it', () =>
      gatesOf('failing').every((state) => state === 'closed') ? true : null,
    );
    const closedAtMs = systemClock.nowMs();
    const beforeProbes = PROCESSES * (MIN_CALLS - 1 + CONCURRENCY);
    await until(
      'a probe',
      () => (failing.ledger.calls.some(({ atMs }) => atMs > closedAtMs + PROBE_AFTER_MS) ? true : null),
      GATE_LIMIT_MS,
    );
    expect(failing.ledger.calls.length).toBeLessThanOrEqual(beforeProbes + PROCESSES);
    failing.rule(null);
    const outcomes = await Promise.all(ids.map((id) => service.outcome(id, 1, GATE_LIMIT_MS)));
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map(() => 'Sent'));
    const tries = outcomes.map(({ attempts }) => attempts);
    expect(tries.filter((attempts) => attempts === 1).length).toBeGreaterThanOrEqual(
      60 - beforeProbes - PROCESSES,
    );
    expect(gatesOf('failing')).toEqual(['open', 'open']);
  });
});

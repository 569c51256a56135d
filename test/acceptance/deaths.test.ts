// A record that kills every process which reads it, on real Kafka and Postgres. Judged by exit codes, the vendor's ledger, the topic and the
// table: three processes die, the fourth lives, the record waits for a person, and everybody else is sent once.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { builtProgram } from '../support/built-program.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { callsOf } from '../support/notification-ending.ts';
import { type PinProcess, pin, startNode, startPin } from '../support/pin-process.ts';
import { openRealWorld, type RealWorld } from '../support/real-service.ts';
import { until } from '../support/until.ts';

/** Sessions of the dead have to end, one after another. */
const DIES_WITHIN_MS = 60_000;
vi.setConfig({ testTimeout: 6 * DIES_WITHIN_MS });

let world: RealWorld;
const living = new Set<PinProcess>();
beforeAll(async () => {
  world = await openRealWorld({
    variables: { PIN_HTTP_ADDR: '127.0.0.1:0', PIN_LOG_LEVEL: 'info', PIN_SWEEP_PERIOD: '60m' },
  });
});
afterAll(async () => {
  await Promise.all([...living].map((one) => one.end('SIGKILL')));
  await world.stop();
});

test('a record that kills three processes is left alone by the fourth, explained, and sent when it is replayed after the fix', async () => {
  const program = builtProgram(new URL('../support/perishable-processor.ts', import.meta.url));
  const deadly = freshRequest();
  const others = Array.from({ length: 30 }, () => freshRequest());
  const variables = { ...world.environment.variables };
  const start = () => {
    const one = startNode([program], { ...variables, DEADLY_ID: deadly.notificationId });
    living.add(one);
    return one;
  };
  await Promise.all([...others.slice(0, 15), deadly, ...others.slice(15)].map(world.send));
  for (let deaths = 1; deaths <= 3; deaths += 1) {
    const one = start();
    await until(`death ${deaths}: ${one.logLines().join(' ')}`, () => one.hasEnded() || null, DIES_WITHIN_MS);
    expect(await one.end('SIGKILL')).toMatchObject({ code: 9 });
    living.delete(one);
    expect(await world.query('select * from quarantine')).toHaveLength(0);
  }
  const fourth = start();
  const [entry] = await until(
    () => `the quarantine; it said ${fourth.logLines().join(' ')}`,
    async () => {
      const rows = await world.query('select * from quarantine');
      return rows.length === 0 ? null : rows;
    },
    DIES_WITHIN_MS,
  );
  expect(entry).toMatchObject({ reason: 'deadly-record', topic: world.topics.requested });
  expect(String(entry?.['key'])).toBe(deadly.notificationId);
  for (const { notificationId } of others)
    expect(await world.outcome(notificationId, 1, DIES_WITHIN_MS)).toMatchObject({ status: 'Sent' });
  expect(others.map(({ notificationId }) => callsOf([world.vendor], notificationId).length)).toEqual(
    others.map(() => 1),
  );
  expect(fourth.hasEnded()).toBe(false);
  expect(await world.row(deadly.notificationId)).toBeNull();
  await fourth.end('SIGKILL');
  living.delete(fourth);

  const mended = startPin(['run', 'processor'], variables);
  living.add(mended);
  const { http } = await mended.logged('process.started');
  const number = String(entry?.['id']);
  const shown = await pin(['quarantine', 'show', number], variables);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    ...{ reason: 'deadly-record', replay: `can go back to ${world.topics.requested}` },
    words: expect.stringContaining('Three processes in a row died') as string,
    value: { recipient: '***' },
  });
  expect(await pin(['quarantine', 'replay', number, '--actor', 'ada'], variables)).toMatchObject({ code: 0 });
  expect(await world.outcome(deadly.notificationId, 1, DIES_WITHIN_MS)).toMatchObject({ status: 'Sent' });
  expect(callsOf([world.vendor], deadly.notificationId)).toHaveLength(1);
  expect(await world.query('select replayed_by from quarantine')).toEqual([{ replayed_by: 'ada' }]);
  expect((await pin(['quarantine', 'replay', number], variables)).code).toBe(4);
  expect((await fetch(`${String(http)}/livez`)).status).toBe(200);
  expect(await mended.end('SIGTERM')).toMatchObject({ code: 0 });
  living.delete(mended);
  const lives = await world.query('select is_living, deadly from task_lives');
  expect(lives).toEqual(lives.map(() => ({ is_living: false, deadly: [] })));
});

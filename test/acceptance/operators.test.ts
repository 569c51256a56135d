// What operators do from the command line, on real Kafka, registry and Postgres. Judged by exit codes, what is printed, the vendor's ledger,
// the topic and the table.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EXIT } from '../../src/app/exit-codes.ts';
import type { NotificationRequest } from '../../src/domain/request.ts';
import { freshRequest } from '../support/fresh-request.ts';
import { callsOf } from '../support/notification-ending.ts';
import { pinBeside } from '../support/pin-beside.ts';
import { type RealService, startRealService, testChannel } from '../support/real-service.ts';
import { until } from '../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

let service: RealService;
beforeAll(async () => {
  service = await startRealService({
    channels: [testChannel('email', { maxAttempts: 1 }), testChannel('sms', { isEnabled: false })],
  });
});
afterAll(() => service.stop());

const pin = (args: readonly string[], file = '', signal?: AbortSignal) =>
  pinBeside(service, args, { file, signal });

const REFUSED = { kind: 'error', status: 400, code: 'invalid_recipient', retriable: false } as const;
const callsTo = ({ notificationId }: NotificationRequest) => callsOf([service.vendor], notificationId);

/** Notifications that ended in terminal Failed. */
async function failures(count: number, tenantId: string): Promise<readonly NotificationRequest[]> {
  const requests = Array.from({ length: count }, () => freshRequest({ tenantId }));
  for (const { notificationId } of requests) service.vendor.plan(notificationId, [REFUSED]);
  await Promise.all(requests.map(service.send));
  for (const { notificationId } of requests)
    expect(await service.outcome(notificationId)).toMatchObject({ status: 'Failed', attempts: 1 });
  for (const { notificationId } of requests)
    await service.rowWhere(notificationId, (row) => row['published_seq'] === 1);
  return requests;
}

async function planned(tenant: string, ...flags: readonly string[]) {
  const made = await pin(['redrive', 'plan', '--tenant', tenant, '--reason', 'fixed', ...flags]);
  return { ...made, plan: made.out === '' ? null : (JSON.parse(made.out) as Record<string, unknown>) };
}

const openFailures = async () =>
  (
    await service.query(`select count(*)::int as n from notifications
    where status = 'Failed' and final is not null and closed_at is null`)
  )[0]?.['n'];

describe('one notification', () => {
  test('is cancelled while it is held, and refused what its state does not allow', async () => {
    const held = freshRequest({ channel: 'sms', recipient: '+15550100' });
    const id = held.notificationId;
    await service.send(held);
    await service.rowWhere(id, (row) => row['hold_reason'] !== null);
    const released = await pin(['release', id]);
    expect([released.code, released.err]).toEqual([
      EXIT.refused,
      `${id}: ada asked to release: refused, because the cause of the hold stands.\n`,
    ]);
    const cancelled = await pin(['cancel', id, '--reason', 'sent by mistake']);
    expect([cancelled.code, cancelled.out]).toEqual([
      EXIT.ok,
      `${id}: ada asked to cancel (sent by mistake): done.\n`,
    ]);
    expect(await service.outcome(id)).toMatchObject({ status: 'Failed', errorCode: 'NTF_CANCELLED' });
    const again = await pin(['cancel', id]);
    expect([again.code, again.err]).toEqual([
      EXIT.refused,
      `${id}: refused, because it had ended already; nothing was asked\n`,
    ]);
    expect((await pin(['show', id])).out).toContain('ada asked to cancel (sent by mistake): done.');
    expect(callsTo(held)).toHaveLength(0);
  });

  test('is not found where nobody knows it, or where another tenant asks', async () => {
    const nobody = freshRequest();
    expect((await pin(['cancel', nobody.notificationId])).code).toBe(EXIT.notFound);
    const held = freshRequest({ channel: 'sms', recipient: '+15550100' });
    await service.send(held);
    await service.rowWhere(held.notificationId, (row) => row['hold_reason'] !== null);
    expect((await pin(['cancel', held.notificationId, '--tenant', 'other'])).code).toBe(EXIT.notFound);
    expect(await service.row(held.notificationId)).toMatchObject({ final: null, command_ids: null });
  });

  test('is cancelled before its request comes, and not sent when it does', async () => {
    const late = freshRequest();
    const ahead = await pin(['cancel', late.notificationId, '--ahead', '--tenant', late.tenantId ?? '']);
    expect(ahead.code).toBe(EXIT.ok);
    await service.send(late);
    expect(await service.outcome(late.notificationId)).toMatchObject({ reason: 'cancelled', attempts: 0 });
    expect(callsTo(late)).toHaveLength(0);
  });

  test('that failed for good is closed with a reason, and no longer counts for the alert', async () => {
    const [failed] = await failures(1, 'closing');
    const id = failed?.notificationId ?? '';
    const before = Number(await openFailures());
    expect((await pin(['close', id])).code).toBe(EXIT.usage);
    expect(await pin(['close', id, '--reason', 'wrong number'])).toMatchObject({
      ...{ code: EXIT.ok, out: `${id}: ada asked to close (wrong number): done.\n` },
    });
    expect(await openFailures()).toBe(before - 1);
    expect((await pin(['close', id, '--reason', 'wrong number'])).out).toContain('it was so already');
  });

  test('is waited for no longer than asked', async () => {
    const [failed] = await failures(1, 'waiting');
    const id = failed?.notificationId ?? '';
    expect(await pin(['close', id, '--reason', 'x', '--no-wait'])).toMatchObject({
      ...{ code: EXIT.ok, out: `${id}: the command is in the log\n` },
    });
    await service.rowWhere(id, (row) => row['closed_at'] !== null);
  });
});

describe('a redrive', () => {
  test('does exactly its plan, once, however often it is applied', async () => {
    const failed = await failures(12, 'twelve');
    const { code, out, plan, err } = await planned('twelve', '--rate', '100');
    expect([code, plan?.['count'], plan?.['matched']]).toEqual([EXIT.ok, 12, 12]);
    expect(err).toContain('redrive.planned');
    const first = failed[0]?.notificationId ?? '';
    const edited = out.replace('"fixed"', '"fixed!"');
    expect(await pin(['redrive', 'apply', 'plan.json'], edited)).toMatchObject({ code: EXIT.refused });
    const otherwise = out.replace(/"ratePerSecond": 100/, '"ratePerSecond": 900');
    expect((await pin(['redrive', 'apply', 'plan.json'], otherwise)).err).toContain(
      'changed after it was made',
    );
    expect(failed.map((one) => callsTo(one).length)).toEqual(failed.map(() => 1));

    expect((await pin(['redrive', 'apply', 'plan.json', '--dry-run'], out)).out).toContain('12 to do');
    // What moves on between plan and apply is left as it is.
    await pin(['close', first, '--reason', 'done by hand']);
    const applied = await pin(['redrive', 'apply', 'plan.json', '--json'], out);
    expect(applied.code).toBe(EXIT.partlyDone);
    expect(applied.err).toContain('redrive.applied');
    for (const { notificationId } of failed)
      if (notificationId !== first)
        expect(await service.outcome(notificationId, 2)).toMatchObject({
          status: 'Sent',
          cycle: 1,
          attempts: 1,
        });
    const again = await pin(['redrive', 'apply', 'plan.json', '--json'], out);
    expect(JSON.parse(again.out)).toMatchObject({ sent: 0, counts: { sent: 11, 'moved-on': 1, open: 0 } });
    expect(failed.map((one) => callsTo(one).length)).toEqual(
      failed.map((one) => (one.notificationId === first ? 1 : 2)),
    );
  });

  test('skips what moved on, and says that it is only partly done', async () => {
    const [gone, ...others] = await failures(3, 'moving');
    const { out } = await planned('moving', '--rate', '100');
    const single = await planned('moving', '--limit', '1', '--rate', '100');
    expect(single.plan?.['notifications']).toHaveLength(1);
    expect((await pin(['redrive', 'apply', 'single.json'], single.out)).code).toBe(EXIT.ok);
    const first = (single.plan?.['notifications'] as { id: string }[] | undefined)?.[0]?.id ?? '';
    expect([gone, ...others].map((one) => one?.notificationId)).toContain(first);
    await service.outcome(first, 2);
    const applied = await pin(['redrive', 'apply', 'plan.json', '--json'], out);
    expect(applied.code).toBe(EXIT.partlyDone);
    expect(JSON.parse(applied.out)).toMatchObject({ sent: 2, counts: { 'moved-on': 1 } });
  });

  test('stops when too many of the newest fail again, and goes on later', async () => {
    const failed = await failures(40, 'rising');
    for (const { notificationId } of failed) service.vendor.plan(notificationId, [REFUSED]);
    const { out } = await planned('rising', '--rate', '10');
    const stopped = await pin(['redrive', 'apply', 'plan.json', '--json'], out);
    expect([stopped.code, JSON.parse(stopped.out)]).toMatchObject([EXIT.partlyDone, { stopped: 'failures' }]);
    const { sent } = JSON.parse(stopped.out) as { sent: number };
    expect(sent).toBeGreaterThanOrEqual(10);
    expect(sent).toBeLessThan(40);
    const called = () => failed.filter((one) => callsTo(one).length === 2).length;
    await until('every redriven one to be called', () => (called() === sent ? true : null));
  });

  test('that is interrupted goes on where it was', async () => {
    const failed = await failures(20, 'interrupted');
    const { out } = await planned('interrupted', '--rate', '5');
    const asked = new AbortController();
    const running = pin(['redrive', 'apply', 'plan.json'], out, asked.signal);
    await until('some calls', () => (failed.some((one) => callsTo(one).length === 2) ? true : null));
    asked.abort('SIGINT');
    expect((await running).code).toBe(EXIT.interrupted);
    const before = failed.filter((one) => callsTo(one).length === 2).length;
    expect(before).toBeLessThan(20);
    const fast = await pin(['redrive', 'apply', 'plan.json', '--json'], out);
    expect(fast.code).toBe(EXIT.ok);
    expect(JSON.parse(fast.out)).toMatchObject({ counts: { open: 0, 'moved-on': 0 } });
    for (const { notificationId } of failed) await service.outcome(notificationId, 2);
    expect(failed.map((one) => callsTo(one).length)).toEqual(failed.map(() => 2));
  });

  test('leaves out what may have arrived, unless it is forced', async () => {
    const [failed] = await failures(1, 'doubt');
    await service.query(
      `update notifications set outcome = outcome || '{"isUncertain": true}' where id = $1`,
      [failed?.notificationId],
    );
    const plain = await planned('doubt');
    expect([plain.plan?.['count'], plain.plan?.['leftOut']]).toEqual([
      0,
      { 'it may have arrived (--force to send again)': 1 },
    ]);
    const forced = await planned('doubt', '--force');
    expect(forced.plan).toMatchObject({ count: 1, isForced: true });
    expect((await pin(['redrive', 'apply', 'plan.json'], forced.out)).code).toBe(EXIT.ok);
    expect(await service.outcome(failed?.notificationId ?? '', 2)).toMatchObject({ status: 'Sent' });
  });

  test('is refused above its cap', async () => {
    await failures(3, 'capped');
    const made = await planned('capped', '--cap', '2');
    expect([made.code, made.out]).toEqual([EXIT.refused, '']);
    expect(made.err).toContain('3 could be redriven and the cap is 2');
  });
});

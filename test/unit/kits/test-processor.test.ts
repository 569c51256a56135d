import { afterEach, describe, expect, it } from 'vitest';
import { requestNotification } from '../../../src/kits/producer/outbox.ts';
import { recordingDelivery } from '../../../src/kits/testing/recording-delivery.ts';
import {
  startTestProcessor,
  type TestProcessor,
  type TestProcessorOptions,
} from '../../../src/kits/testing/test-processor.ts';
import {
  delivered,
  type NotificationDelivery,
  reject,
  retry,
} from '../../../src/providers/delivery/notification-delivery.ts';
import {
  channelFlags,
  DEFAULT_RETRY_POLICY,
  immediate,
} from '../../../src/providers/delivery/retry-policy.ts';

const hello = { channel: 'email', to: 'ada@example.com', body: { text: 'Hello, Ada' } } as const;

let processor: TestProcessor | null = null;
afterEach(async () => {
  await processor?.close();
  processor = null;
});

async function started(options: TestProcessorOptions): Promise<TestProcessor> {
  processor = await startTestProcessor(options);
  return processor;
}

describe('the processor in memory', () => {
  it('after two failures and 90 s has sent it once', async () => {
    const delivery = recordingDelivery(retry('busy'), retry('busy'));
    const world = await started({ delivery });
    const [id = ''] = await world.request(hello);
    expect(await world.status(id)).toMatchObject({ status: 'Failed', attempts: 1 });
    await world.advance(30_000);
    expect([delivery.calls(), await world.outcome(id)]).toEqual([2, null]);
    await world.advance(59_999);
    expect(delivery.calls()).toBe(2);
    await world.advance(1);
    expect(await world.outcome(id)).toMatchObject({ status: 'Sent', attempts: 3, outcomeSeq: 1 });
    expect(delivery.received().map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(delivery.redelivered()).toHaveLength(2);
    await world.advance(1_200_000);
    expect([delivery.calls(), (await world.outcomes()).length]).toEqual([3, 1]);
  });

  it('waits 30 s doubling to 15 min, and ends after 5 attempts', async () => {
    const delivery = recordingDelivery().always(retry('down'));
    const world = await started({ delivery });
    const [id = ''] = await world.request(hello);
    const calledAt: number[] = [];
    for (let minute = 0; minute < 20; minute += 0.5) {
      if (delivery.calls() > calledAt.length) calledAt.push(minute);
      await world.advance(30_000);
    }
    expect(calledAt).toEqual([0, 0.5, 1.5, 3.5, 7.5]);
    expect(await world.outcome(id)).toMatchObject({ status: 'Failed', reason: 'exhausted', attempts: 5 });
  });

  it('tries at once where the policy says so, and waits where the delivery asks for it', async () => {
    const delivery = recordingDelivery(retry('busy'), retry('later', 120_000));
    const world = await started({ delivery, policy: immediate(3) });
    const [id = ''] = await world.request(hello);
    await world.advance(1_000);
    expect(delivery.calls()).toBe(2);
    await world.advance(118_000);
    expect(delivery.calls()).toBe(2);
    await world.advance(3_000);
    expect(await world.outcome(id)).toMatchObject({ status: 'Sent', attempts: 3 });
  });

  it('ends what is rejected, with its reason', async () => {
    const world = await started({
      delivery: recordingDelivery(reject('no such user', 'NTF_PROVIDER_INVALID_RECIPIENT')),
    });
    const [id = ''] = await world.request(hello);
    expect(await world.outcome(id)).toMatchObject({
      status: 'Failed',
      reason: 'refused',
      errorCode: 'NTF_PROVIDER_INVALID_RECIPIENT',
    });
  });

  it('takes a throw and a missed deadline for "nobody knows" and asks again under the same id', async () => {
    let calls = 0;
    const delivery: NotificationDelivery = {
      consumer: 'notification-delivery',
      deliver(_, signal) {
        calls += 1;
        if (calls === 1) return Promise.reject(new TypeError('a bug'));
        if (calls === 2)
          return new Promise((_resolve, fail) =>
            signal.addEventListener('abort', () => fail(new TypeError('cut'))),
          );
        return Promise.resolve(delivered('m-1'));
      },
    };
    const world = await started({ delivery, deadlineMs: 5_000 });
    const [id = ''] = await world.request(hello);
    await world.advance(30_000);
    expect([calls, await world.status(id)]).toMatchObject([2, { status: 'Failed' }]);
    await world.advance(65_001);
    expect(await world.outcome(id)).toMatchObject({ status: 'Sent', providerMessageId: 'm-1', attempts: 3 });
  });

  it('makes one of each of many recipients, and another delivery by channel', async () => {
    const [mail, push] = [recordingDelivery(), recordingDelivery()];
    const world = await started({ delivery: mail, channels: { push } });
    const ids = await world.request({
      ...hello,
      to: ['a@b.c', 'd@e.f'],
      data: { name: 'Ada' },
      trigger: 'signup',
    });
    await world.request({ ...hello, channel: 'push', to: 'token-1' });
    expect(mail.received()).toMatchObject([
      {
        id: ids[0],
        to: 'a@b.c',
        data: { name: 'Ada' },
        trigger: 'signup',
        cycle: 0,
        attempt: 1,
        tenantId: null,
      },
      { id: ids[1], to: 'd@e.f' },
    ]);
    expect(push.received()).toMatchObject([{ to: 'token-1', channel: 'push' }]);
  });

  it('runs a delivery inside its cause: what it asks for carries the correlation and cites the id', async () => {
    const rows: unknown[][] = [];
    const client = {
      query: (_: string, values: readonly unknown[]) => Promise.resolve(rows.push([...values])),
    };
    const delivery: NotificationDelivery = {
      consumer: 'notification-delivery',
      async deliver() {
        await requestNotification(client, { ...hello, channel: 'sms', to: '+100' });
        return delivered();
      },
    };
    const world = await started({ delivery });
    const [plain] = await world.request(hello);
    const [chained] = await world.request({ ...hello, correlationId: 'order-7' });
    expect(rows.map((values) => values.slice(7, 9))).toEqual([
      [plain, plain],
      ['order-7', chained],
    ]);
  });
});

describe('a retry policy', () => {
  it('tells operators the flags that say the same', () => {
    const flags = (policy: typeof DEFAULT_RETRY_POLICY) => channelFlags(policy).join(' ');
    expect(flags(DEFAULT_RETRY_POLICY)).toBe(
      '--max-attempts 5 --backoff exponential --backoff-base 30000ms --backoff-cap 900000ms --backoff-jitter 0',
    );
    expect(flags(immediate(3))).toContain('--max-attempts 3 --backoff exponential --backoff-base 1ms');
  });
});

describe('a recording delivery', () => {
  it('has a name of its own and sees the cause of each call', async () => {
    const delivery = recordingDelivery().named('digest');
    const world = await started({ delivery });
    const [id = ''] = await world.request(hello);
    expect([delivery.consumer, delivery.causes()]).toEqual([
      'digest',
      [{ correlationId: id, causationId: id }],
    ]);
  });
});

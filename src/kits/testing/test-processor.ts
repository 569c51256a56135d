// The processor itself in memory, on a clock that moves when told: the same topology, rules and retries as in production, so that a team
// can assert "after two failures and 90 s this was sent once". No server, no waiting.
import { CHANNELS, type Channel } from '../../domain/channel.ts';
import type { NotificationId } from '../../domain/notification-id.ts';
import { deliveryProvider } from '../../providers/delivery/delivery-provider.ts';
import type { NotificationDelivery } from '../../providers/delivery/notification-delivery.ts';
import { channelOf, DEFAULT_RETRY_POLICY, type RetryPolicy } from '../../providers/delivery/retry-policy.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { virtualTime } from '../../runtime/virtual-time.ts';
import { decodeDispatched } from '../../streams/dispatched.ts';
import type { NotificationDispatchedEvent } from '../../streams/generated/notification-dispatched-event.ts';
import { startTestDriver, type TestDriver } from '../../topology/test-driver.ts';
import type { NewNotification } from '../producer/new-notification.ts';
import { newRequests } from '../producer/new-requests.ts';

export interface TestProcessorOptions {
  /** Of every channel, unless `channels` says otherwise. */
  readonly delivery: NotificationDelivery;
  readonly channels?: Partial<Readonly<Record<Channel, NotificationDelivery>>>;
  /** The default is 5 attempts, 30 s doubling to 15 min, without jitter. */
  readonly policy?: RetryPolicy;
  /** Of one call of a delivery; 15 s by default. */
  readonly deadlineMs?: number;
}

export interface TestProcessor {
  /** Asks, and lets everything happen that needs no time. Answers the ids. @throws RequestRefused */
  request(asked: NewNotification): Promise<readonly string[]>;
  /** Moves the clock. */
  advance(deltaMs: number): Promise<void>;
  /** The processor's present, epoch milliseconds. */
  nowMs(): number;
  /** Of every notification that has ended, in order. */
  outcomes(): Promise<readonly NotificationDispatchedEvent[]>;
  /** The newest outcome of one; null while there is none. */
  outcome(id: string): Promise<NotificationDispatchedEvent | null>;
  /** How a notification stands. */
  status(id: string): Promise<TestStatus | null>;
  close(): Promise<void>;
}

export interface TestStatus {
  readonly status: 'Pending' | 'Failed' | 'Sent';
  readonly attempts: number;
  /** null once it has ended. */
  readonly nextAttemptAtMs: number | null;
}

const DEADLINE_MS = 15_000;

export async function startTestProcessor(options: TestProcessorOptions): Promise<TestProcessor> {
  const time = virtualTime();
  const settings = {
    capability: 'key',
    windowMs: null,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    maxConcurrency: 64,
    ratePerSecond: null,
  } as const;
  const deliveries = CHANNELS.map(
    (channel) => [channel, options.channels?.[channel] ?? options.delivery] as const,
  );
  const deps = { timers: time.timers, logger: silentLogger };
  const driver = await startTestDriver({
    time,
    providers: deliveries.map(([channel, delivery]) =>
      deliveryProvider(deps, { ...settings, providerKey: channel }, delivery),
    ),
    channels: CHANNELS.map((channel) => channelOf(options.policy ?? DEFAULT_RETRY_POLICY, channel, channel)),
  });
  const outcomes = () => outcomesOf(driver);
  return {
    async request(asked) {
      const { requests } = newRequests({ ...asked, requestedAt: asked.requestedAt ?? time.clock.nowMs() });
      for (const request of requests) await driver.request(request);
      return requests.map(({ notificationId }) => notificationId);
    },
    advance: time.advance,
    nowMs: time.clock.nowMs,
    outcomes,
    outcome: async (id) => (await outcomes()).findLast((one) => one.notificationId === id) ?? null,
    async status(id) {
      const row = await driver.row(id as NotificationId);
      if (row === null) return null;
      const { status, attempts, final, nextAttemptAtMs } = row;
      return { status, attempts, nextAttemptAtMs: final === null ? nextAttemptAtMs : null };
    },
    async close() {
      const stopped = driver.processor.stop();
      await time.settle();
      await stopped;
    },
  };
}

async function outcomesOf(driver: TestDriver): Promise<readonly NotificationDispatchedEvent[]> {
  const answers = await Promise.all(
    driver.dispatched().map((record) => decodeDispatched(driver.codec, record)),
  );
  return answers.flatMap((answer) => (answer.kind === 'decoded' ? [answer.value] : []));
}

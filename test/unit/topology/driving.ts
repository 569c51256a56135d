// What behaviour tests need besides the test driver: a provider with facts of its own, counters and lines that were written, a second
// processor, and a process that dies as by kill −9.
import type { LogConsumer, LogRecord } from '../../../src/broker/log.ts';
import { newNotification } from '../../../src/domain/admission.ts';
import type { LookupAnswer, ProviderFacts } from '../../../src/domain/call-outcome.ts';
import type { Wake } from '../../../src/domain/change.ts';
import { type ChannelConfig, defaultChannelConfig } from '../../../src/domain/channel.ts';
import type { NotificationId } from '../../../src/domain/notification-id.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import type { Script } from '../../../src/providers/scripted/script.ts';
import {
  SCRIPTED_FACTS,
  type ScriptedProvider,
  scriptedProvider,
} from '../../../src/providers/scripted/scripted-provider.ts';
import { invariant } from '../../../src/runtime/fault.ts';
import type { Labels, Metrics } from '../../../src/runtime/metrics.ts';
import { decodeDispatched } from '../../../src/streams/dispatched.ts';
import { notificationTopology } from '../../../src/topology/graph.ts';
import { type Processor, type ProcessorPorts, startProcessor } from '../../../src/topology/processor.ts';
import {
  startTestDriver,
  TEST_SETTINGS,
  type TestDriver,
  type TestDriverOptions,
} from '../../../src/topology/test-driver.ts';
import { anId, aRequest } from '../../support/a-notification.ts';

export interface Driven extends TestDriver {
  /** The provider of channel `email`. */
  readonly mail: ScriptedProvider;
  /** Of a counter, over all labels that hold these. */
  readonly counted: (name: string, labels?: Labels) => number;
  /** Events that were logged, in order. */
  readonly events: readonly string[];
}

export interface DriveOptions extends Omit<TestDriverOptions, 'providers' | 'channels'> {
  readonly facts?: Partial<ProviderFacts>;
  readonly script?: Script;
  readonly config?: Partial<ChannelConfig>;
  /** Channel `sms` gets a provider of its own. */
  readonly sms?: ScriptedProvider;
}

export const RETRIED = { kind: 'transient', providerCode: '503' } as const;
export const LOST = { kind: 'unknown', phase: 'sent', providerCode: 'timeout' } as const;
export const WAITS = { kind: 'wait' } as const;

/** A driver whose calls wait until they are released: no deadline, unless the script has one. */
export async function drive(options: DriveOptions = {}): Promise<Driven> {
  const { facts, script, config, sms, around = (ports) => ports, ...rest } = options;
  const mail = scriptedProvider({ ...SCRIPTED_FACTS, providerKey: 'mail', ...facts }, script);
  const [metrics, counted] = countingMetrics();
  const events: string[] = [];
  const log = (event: string) => void events.push(event);
  const driver = await startTestDriver({
    ...rest,
    providers: sms === undefined ? [mail] : [mail, sms],
    channels: [
      { ...defaultChannelConfig('email', 'mail'), ...config },
      ...(sms === undefined ? [] : [defaultChannelConfig('sms', sms.facts.providerKey)]),
    ],
    around: (ports) =>
      around({ ...ports, metrics, logger: { debug: log, info: log, warn: log, error: log } }),
  });
  return { ...driver, mail, counted, events };
}

function countingMetrics(): [Metrics, Driven['counted']] {
  const seen: { name: string; labels: Labels; by: number }[] = [];
  const metrics: Metrics = {
    increment: (name, labels = {}, by = 1) => void seen.push({ name, labels, by }),
    set: () => undefined,
    observe: () => undefined,
  };
  const counted = (name: string, labels: Labels = {}) =>
    seen
      .filter((one) => one.name === name && Object.entries(labels).every(([k, v]) => one.labels[k] === v))
      .reduce((sum, { by }) => sum + by, 0);
  return [metrics, counted];
}

/** Waits for something that needs the clock's timers, but no time. */
export async function settled<T>(driver: TestDriver, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  await driver.time.settle();
  return work;
}

export async function outcomes(driver: TestDriver) {
  const answers = await Promise.all(
    driver.dispatched().map((record) => decodeDispatched(driver.codec, record)),
  );
  return answers.flatMap((answer) => (answer.kind === 'decoded' ? [answer.value] : []));
}

export async function stored(driver: TestDriver, id: NotificationId) {
  const row = await driver.row(id);
  invariant(row !== null, `there is no row ${id}`);
  return row;
}

export const DUE: Wake = { kind: 'after', waitMs: 0, inLog: false };

/** A row that somebody left in the table, with nothing in the log about it. */
export async function leave(driver: TestDriver, n: number, wake: Wake): Promise<void> {
  const request = aRequest({ notificationId: anId(n) });
  await driver.store.insert({
    change: { next: newNotification(request), wake, isNextAttempt: false, trail: 'left' },
    content: { request, payloadHash: 'p', recipientHash: 'r', traceparent: null },
    writeToken: anId(n),
  });
}

/** The wake-ups in the log, of all tiers. */
export function wakeUps(driver: TestDriver): readonly LogRecord[] {
  return driver.topics.tiers.flatMap(({ topic }) => driver.log.records(topic));
}

/** What was read is committed. */
export function everythingIsDone(driver: TestDriver): boolean {
  return driver.log
    .committed(driver.topics.groupId)
    .every(
      ({ topic, partition, offset }) =>
        offset === driver.log.records(topic).filter((record) => record.partition === partition).length,
    );
}

export function reasonOf(record: LogRecord | undefined): string {
  return new TextDecoder().decode(record?.headers['pin-dlq-reason']);
}

/** Produces what nobody of ours would. */
export async function produceRaw(
  driver: TestDriver,
  record: {
    topic: string;
    key: string | null;
    value: Uint8Array | null;
    partition?: number;
    headers?: LogRecord['headers'];
  },
): Promise<void> {
  const producer = await driver.log.producer();
  const { topic, value, partition = null, headers = {} } = record;
  const key = record.key === null ? null : new TextEncoder().encode(record.key);
  await settled(driver, producer.send({ topic, partition, key, value, headers }));
}

/** Another processor on the same servers, with ports or topics of its own. */
export function startOn(
  driver: TestDriver,
  processId: string,
  ports: ProcessorPorts = driver.ports,
  groupId: string = driver.topics.groupId,
): Promise<Processor> {
  const settings = { ...TEST_SETTINGS, partitions: partitionsOf(driver), processId };
  const topology = { ...notificationTopology(driver.topics), groupId };
  return settled(driver, startProcessor(ports, topology, settings));
}

function partitionsOf(driver: TestDriver): number {
  return 1 + Math.max(...driver.log.committed(driver.topics.groupId).map(({ partition }) => partition));
}

/** Replaces parts of provider `mail`. */
export function withMail(parts: (mail: Provider) => Partial<Provider>) {
  return (ports: ProcessorPorts): ProcessorPorts => {
    const mail = ports.providers.get('mail');
    invariant(mail !== undefined, 'there is no provider mail');
    return { ...ports, providers: new Map([...ports.providers, ['mail', { ...mail, ...parts(mail) }]]) };
  };
}

/** Puts `around` over the lookups of provider `mail`. */
export function withLookUp(around: (ask: () => Promise<LookupAnswer>) => Promise<LookupAnswer>) {
  return withMail((mail) => ({ lookUp: (reference, cycle) => around(() => mail.lookUp(reference, cycle)) }));
}

const never = () => new Promise<never>(() => undefined);

/** Ports of a process that can be killed: from then on nothing it asks for is answered, and its group goes on without it. */
export function mortal(ports: ProcessorPorts): {
  readonly ports: ProcessorPorts;
  readonly kill: () => Promise<void>;
  /** The group goes on without it and it never notices: a zombie. */
  readonly cutOff: () => Promise<void>;
} {
  let isDead = false;
  const members: LogConsumer[] = [];
  const cutOff = async () => {
    await Promise.all(members.map((member) => member.stop()));
  };
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          if (isDead) return never();
          const answer: unknown = Reflect.apply(value, target, given);
          // An answer on its way when the process dies never arrives either.
          return answer instanceof Promise
            ? answer.then(
                (got: unknown) => (isDead ? never() : got),
                (error: unknown) => (isDead ? never() : Promise.reject(error as Error)),
              )
            : answer;
        };
      },
    });
  return {
    ports: {
      ...ports,
      store: wrap(ports.store),
      log: {
        ...ports.log,
        producer: async () => wrap(await ports.log.producer()),
        consumer: async (options, handlers) => {
          const member = await ports.log.consumer(options, handlers);
          members.push(member);
          return wrap(member);
        },
      },
    },
    async kill() {
      isDead = true;
      await cutOff();
    },
    cutOff,
  };
}

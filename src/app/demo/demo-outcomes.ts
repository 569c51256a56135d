// The end of the demo: the outcomes as the topic holds them, read back from its start and decoded, not as we remember them.

import type { LogRecord } from '../../broker/log.ts';
import { Fault } from '../../runtime/fault.ts';
import { within } from '../../runtime/timers.ts';
import { type Codec, openCodec } from '../../streams/codec.ts';
import { decodeDispatched } from '../../streams/dispatched.ts';
import type { NotificationDispatchedEvent } from '../../streams/generated/notification-dispatched-event.ts';
import type { Config } from '../config/config.ts';
import { topicsOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { print, printTable } from '../output.ts';
import type { ProcessorServers } from '../processor-assembly.ts';
import type { DemoItem } from './demo-view.ts';

const READ_LIMIT_MS = 20_000;

/** @throws Fault DEMO_READ_LIMIT when the topic does not hold one outcome for each item in time */
export async function showOutcomes(
  environment: Environment,
  demo: { readonly config: Config; readonly servers: ProcessorServers; readonly items: readonly DemoItem[] },
): Promise<void> {
  const topics = topicsOfConfig(demo.config);
  const { clock, timers } = environment;
  const codec = await openCodec({ registry: demo.servers.registry, clock }, topics);
  const wanted = new Set<string>(demo.items.map(({ id }) => id));
  const records = await readFirst(environment, demo.servers, topics.dispatched, wanted);
  const events = await within(timers, READ_LIMIT_MS, 'DEMO_READ_LIMIT', decodeAll(codec, records));
  print(environment, `\nOutcomes, as read back from ${topics.dispatched}:`);
  printTable(
    environment,
    ['offset', 'id', 'channel', 'status', 'reason', 'attempts', 'error', 'ms'],
    events.map(({ event, at }) => [
      at,
      event.notificationId.slice(0, 8),
      event.channel,
      event.status,
      event.reason,
      `${event.attempts} of ${event.maxAttempts}`,
      event.errorCode,
      event.deliveryLatencyMs,
    ]),
  );
}

/** One record for each wanted key. */
async function readFirst(
  { timers }: Environment,
  servers: ProcessorServers,
  topic: string,
  wanted: ReadonlySet<string>,
): Promise<readonly LogRecord[]> {
  const found = new Map<string, LogRecord>();
  let complete: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    complete = resolve;
  });
  const tail = await servers.log.tail([topic], 'start', (record) => {
    const key = record.key === null ? '' : Buffer.from(record.key).toString();
    if (wanted.has(key)) found.set(key, record);
    if (found.size === wanted.size) complete();
  });
  try {
    await within(timers, READ_LIMIT_MS, 'DEMO_READ_LIMIT', all);
  } finally {
    await tail.stop();
  }
  return [...found.values()];
}

async function decodeAll(
  codec: Codec,
  records: readonly LogRecord[],
): Promise<readonly { readonly event: NotificationDispatchedEvent; readonly at: string }[]> {
  const events = await Promise.all(
    records.map(async (record) => {
      const answer = await decodeDispatched(codec, record);
      if (answer.kind !== 'decoded')
        throw new Fault('DEMO_UNREADABLE', 'an outcome on the topic cannot be read', { retriable: false });
      return { event: answer.value, at: `${record.partition}/${record.offset}` };
    }),
  );
  return events.sort((a, b) => a.event.dispatchedAt - b.event.dispatchedAt);
}

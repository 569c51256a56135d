// A process of its own that runs the product as `pin run` does and stands still at one step of the walk of chosen notifications, until
// somebody kills it. The steps are held at the ports, from outside: the product has no switch for it. All other notifications pass.
// MORTAL_STEP names the step, MORTAL_IDS the notifications; the log line `mortal.standing` says that all of them stand there.
import { readConfig } from '../../src/app/config/read-config.ts';
import { logOfConfig, registryOfConfig, storeOfConfig, topicsOfConfig } from '../../src/app/connections.ts';
import type { Environment } from '../../src/app/environment.ts';
import { assembleProcessor } from '../../src/app/processor-assembly.ts';
import { refuseUnsafeStart } from '../../src/app/start-safety.ts';
import type { Log, LogRecord, PartitionOffset } from '../../src/broker/log.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Fault, invariant } from '../../src/runtime/fault.ts';
import { systemIds } from '../../src/runtime/ids.ts';
import { pinoLogger } from '../../src/runtime/pino-logger.ts';
import { prometheusMetrics } from '../../src/runtime/prometheus-metrics.ts';
import { systemTimers } from '../../src/runtime/timers.ts';
import type { NotificationStore } from '../../src/state/store.ts';

export type MortalStep =
  /** The request is read and planned; nothing is written. */
  | 'before-claim'
  /** The claim is committed; nothing is sent. */
  | 'after-claim'
  /** The provider wrote its ledger and answered; the answer is not settled. */
  | 'after-ledger'
  /** The row is final; its outcome is not published. */
  | 'after-settle'
  /** The log acknowledged the outcome; the row is not marked. */
  | 'after-publish'
  /** All is done and marked; the offset is not committed. */
  | 'before-offset-commit';

/** Nobody came to kill it. */
const LIFE_LIMIT_MS = 180_000;

const step = process.env['MORTAL_STEP'] as MortalStep;
const chosen: ReadonlySet<string> = new Set((process.env['MORTAL_IDS'] ?? '').split(','));
const logger = pinoLogger('warn', process.stderr);
const standing = new Set<string>();
const forever = new Promise<never>(() => undefined);

/** Stands still for ever. */
function stand(...ids: readonly string[]): Promise<never> {
  for (const id of ids) standing.add(id);
  if (standing.size === chosen.size) logger.warn('mortal.standing');
  return forever;
}

function mortalStore(store: NotificationStore): NotificationStore {
  return {
    ...store,
    async insert(insertion) {
      const { id } = insertion.change.next;
      if (step === 'before-claim' && chosen.has(id)) return stand(id);
      const answer = await store.insert(insertion);
      return step === 'after-claim' && chosen.has(id) ? stand(id) : answer;
    },
    write(write) {
      const { id } = write.change.next;
      return step === 'after-ledger' && chosen.has(id) ? stand(id) : store.write(write);
    },
  };
}

function mortalLog(
  log: Log,
  store: NotificationStore,
  topics: { readonly requested: string; readonly dispatched: string },
): Log {
  const read = new Map<string, LogRecord>();
  const isBelow = (record: LogRecord, offsets: readonly PartitionOffset[]) =>
    offsets.some(
      ({ topic, partition, offset }) =>
        topic === record.topic && partition === record.partition && record.offset < offset,
    );
  return {
    ...log,
    async producer() {
      const producer = await log.producer();
      return {
        ...producer,
        async send(record) {
          const id = keyOf(record);
          const isHeld = record.topic === topics.dispatched && chosen.has(id);
          if (step === 'after-settle' && isHeld) return stand(id);
          const acknowledged = await producer.send(record);
          return step === 'after-publish' && isHeld ? stand(id) : acknowledged;
        },
      };
    },
    async consumer(options, handlers) {
      const consumer = await log.consumer(options, {
        ...handlers,
        onRecords(at, records) {
          if (at.topic === topics.requested)
            for (const record of records) if (chosen.has(keyOf(record))) read.set(keyOf(record), record);
          return handlers.onRecords(at, records);
        },
      });
      return {
        ...consumer,
        async commit(offsets) {
          const covered = [...read.values()].filter((record) => isBelow(record, offsets));
          if (step !== 'before-offset-commit' || covered.length === 0) return consumer.commit(offsets);
          await store.drainMarks();
          if (covered.length === chosen.size) return stand(...covered.map(keyOf));
          throw new Fault('LOG_UNAVAILABLE', 'some are not done yet', { retriable: true });
        },
      };
    },
  };
}

function keyOf({ key }: { readonly key: Uint8Array | null }): string {
  return Buffer.from(key ?? []).toString();
}

systemTimers.after(LIFE_LIMIT_MS, () => process.exit(1));

const environment: Environment = {
  variables: process.env,
  stdout: { write: (text) => process.stdout.write(text), isTerminal: false },
  stderr: { write: (text) => process.stderr.write(text), isTerminal: false },
  stdin: { isTerminal: false, async *[Symbol.asyncIterator]() {} },
  readFile: () => '',
  signal: new AbortController().signal,
  clock: systemClock,
  timers: systemTimers,
  ids: systemIds,
};
const answer = readConfig(environment.variables);
invariant(answer.kind === 'ok', `settings: ${answer.kind === 'ok' ? '' : answer.errors.join('; ')}`);
const { config } = answer;
const store = storeOfConfig(environment, config, logger);
const log = logOfConfig(environment, config, logger);
await refuseUnsafeStart(environment, config, { log, store });
await assembleProcessor(
  environment,
  config,
  {
    log: mortalLog(log, store, topicsOfConfig(config)),
    registry: registryOfConfig(environment, config),
    store: mortalStore(store),
  },
  { logger, metrics: prometheusMetrics({ version: 'mortal', node: process.versions.node }) },
);

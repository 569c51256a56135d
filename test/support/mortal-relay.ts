// A relay in a process of its own that stands still between the log's acknowledgement of its first rows and writing that down, until
// somebody kills it. It is held at the port, from outside: the product has no switch for it. The log line `mortal.standing` says so.
import { readConfig } from '../../src/app/config/read-config.ts';
import { logOfConfig, registryOfConfig, topicsOfConfig } from '../../src/app/connections.ts';
import type { Environment } from '../../src/app/environment.ts';
import { progressOfConfig, relayAddresses } from '../../src/app/relay-connections.ts';
import { askSources, sourceOpener } from '../../src/relay/open-sources.ts';
import { startRelay } from '../../src/relay/relay.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { invariant } from '../../src/runtime/fault.ts';
import { systemIds } from '../../src/runtime/ids.ts';
import { noMetrics } from '../../src/runtime/metrics.ts';
import { pinoLogger } from '../../src/runtime/pino-logger.ts';
import { systemTimers } from '../../src/runtime/timers.ts';
import { openCodec } from '../../src/streams/codec.ts';

/** Nobody came to kill it. */
const LIFE_LIMIT_MS = 180_000;

const logger = pinoLogger('warn', process.stderr);
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
systemTimers.after(LIFE_LIMIT_MS, () => process.exit(1));

const answer = readConfig(environment.variables);
invariant(answer.kind === 'ok', `settings: ${answer.kind === 'ok' ? '' : answer.errors.join('; ')}`);
const { config } = answer;
const topics = topicsOfConfig(config);
const codec = await openCodec(
  { registry: registryOfConfig(environment, config), clock: systemClock },
  topics,
);
const addresses = relayAddresses(config);
const [asked] = await askSources({ logger }, addresses);
invariant(asked !== undefined, 'one source');
const { source, databaseUrl } = asked;
const progress = progressOfConfig(config, logger);
let rows = 0;

await startRelay(
  {
    ...{ clock: systemClock, timers: systemTimers, logger, metrics: noMetrics, codec, topics },
    log: logOfConfig(environment, config, logger),
    progress: {
      ...progress,
      relayed(_, ids) {
        rows += ids.length;
        logger.warn('mortal.standing', { rows });
        return new Promise<never>(() => undefined);
      },
    },
    sources: [{ key: source.key, databaseUrl, open: sourceOpener({ logger }, asked) }],
    onBroken: (error) => logger.error('mortal.broken', { detail: String(error) }),
  },
  {
    ...{ processId: 'mortal', batchRows: config.relay.batchRows, leaseMs: config.relay.leaseMs },
    ...{ maxPauseMs: config.relay.pollMs, checkAfterMs: config.relay.missingAfterMs },
    ...{ upkeepPeriodMs: 60_000, retentionMs: config.relay.retentionMs, stopLimitMs: 1_000 },
  },
);

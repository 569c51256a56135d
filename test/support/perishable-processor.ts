// A process of its own that runs the product as `pin run` does and dies without a word as soon as it is about to write the row of a chosen
// notification: a record that kills. The step is held at a port, from outside: the product has no switch for it. DEADLY_ID names it.
import { readConfig } from '../../src/app/config/read-config.ts';
import { logOfConfig, registryOfConfig, storeOfConfig } from '../../src/app/connections.ts';
import type { Environment } from '../../src/app/environment.ts';
import { assembleProcessor } from '../../src/app/processor-assembly.ts';
import { refuseUnsafeStart } from '../../src/app/start-safety.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { invariant } from '../../src/runtime/fault.ts';
import { systemIds } from '../../src/runtime/ids.ts';
import { pinoLogger } from '../../src/runtime/pino-logger.ts';
import { prometheusMetrics } from '../../src/runtime/prometheus-metrics.ts';
import { systemTimers } from '../../src/runtime/timers.ts';

/** Nobody came to end it. */
const LIFE_LIMIT_MS = 180_000;
const DIED = 9;

const deadlyId = process.env['DEADLY_ID'] ?? '';
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
const logger = pinoLogger('info', process.stderr);
const metrics = prometheusMetrics({ version: 'perishable', node: process.versions.node });
const store = storeOfConfig(environment, config, logger);
const log = logOfConfig(environment, config, logger);
await refuseUnsafeStart(environment, config, { log, store });
await assembleProcessor(
  environment,
  config,
  {
    log,
    registry: registryOfConfig(environment, config),
    store: {
      ...store,
      insert(insertion) {
        if (insertion.change.next.id === deadlyId) process.exit(DIED);
        return store.insert(insertion);
      },
    },
  },
  { logger, metrics },
);
logger.info('perishable.runs');

// `pin run`: settings become servers, servers become a processor, and the processor runs until it is asked to stop or cannot go on.
import type { Log } from '../broker/log.ts';
import { type HealthSource, healthRoutes } from '../gateway/health.ts';
import { type HttpServer, type Routes, startHttpServer } from '../gateway/http-server.ts';
import { lifecycle, type StopReason } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/logger.ts';
import { type PrometheusMetrics, prometheusMetrics } from '../runtime/prometheus-metrics.ts';
import type { Processor } from '../topology/processor.ts';
import type { Config } from './config/config.ts';
import {
  logOfConfig,
  readerOfConfig,
  registryOfConfig,
  storeOfConfig,
  topicsOfConfig,
} from './connections.ts';
import type { Environment } from './environment.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type Gateway, openGateway } from './gateway-assembly.ts';
import { type Gauges, startGauges } from './gauges.ts';
import { packageVersion } from './package-version.ts';
import { assembleProcessor, type ProcessorServers } from './processor-assembly.ts';
import { assembleRelay, type RunningRelay } from './relay-assembly.ts';
import { serviceLogger } from './service-logger.ts';
import { refuseUnsafeStart } from './start-safety.ts';

/** Beyond the processor's own limit: closing pools and the HTTP server. */
const CLOSING_RESERVE_MS = 5_000;

/** `isAll`: with the HTTP doors, and the relay where outbox tables are set. @throws Fault when it may not or cannot start */
export async function runProcessor(
  config: Config,
  environment: Environment,
  isAll: boolean,
): Promise<ExitCode> {
  const logger = serviceLogger(config, environment);
  const metrics = prometheusMetrics({ version: packageVersion(), node: process.versions.node });
  const life = lifecycle({ ...environment, logger }, config.processor.stopLimitMs + CLOSING_RESERVE_MS);
  environment.signal.addEventListener('abort', () =>
    life.requestStop({ kind: 'asked', by: String(environment.signal.reason) }),
  );
  const servers: ProcessorServers = {
    log: logOfConfig(environment, config, logger),
    registry: registryOfConfig(environment, config),
    store: storeOfConfig(environment, config, logger),
  };
  life.add('store', () => servers.store.close());
  try {
    await refuseUnsafeStart(environment, config, servers);
    const running = await assembleProcessor(environment, config, servers, { logger, metrics });
    life.add('processor', running.stop);
    running.processor.onState((to) => {
      logger.info('processor.state', { state: to });
      if (to === 'failed') life.requestStop({ kind: 'failed', error: 'the processor cannot go on' });
    });
    let relay: RunningRelay | null = null;
    if (isAll && config.relay.sources !== null) {
      const onBroken = (error: unknown) => life.requestStop({ kind: 'failed', error });
      relay = await assembleRelay(environment, config, servers, { logger, metrics }, onBroken);
      life.add('relay', relay.stop);
    }
    const gauges = await openGauges(environment, config, servers.log, { logger, metrics });
    life.add('gauges', gauges.stop);
    const gateway = isAll ? await openGateway(environment, config, servers, { logger, metrics }) : null;
    if (gateway !== null) life.add('gateway', gateway.close);
    const parts = { processor: running.processor, gateway, relay };
    const http = await serve(config, { logger, metrics }, parts);
    life.add('http', http.close);
    logger.info('process.started', { version: packageVersion(), http: http.url });
  } catch (error) {
    await life.stop({ kind: 'failed', error });
    throw error;
  }
  const reason = await life.stopRequested;
  const { unfinished } = await life.stop(reason);
  logger.info('process.stopped', { unfinished: unfinished.join(',') });
  return exitOf(reason, unfinished);
}

function openGauges(
  { clock, timers }: Environment,
  config: Config,
  log: Log,
  watched: { readonly logger: Logger; readonly metrics: PrometheusMetrics },
): Promise<Gauges> {
  const reader = readerOfConfig(config, watched.logger);
  return startGauges({ clock, timers, ...watched, log, reader, topics: topicsOfConfig(config) });
}

function exitOf(reason: StopReason, unfinished: readonly string[]): ExitCode {
  if (reason.kind === 'failed') return EXIT.bug;
  return unfinished.length === 0 ? EXIT.ok : EXIT.failure;
}

function serve(
  config: Config,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: PrometheusMetrics },
  parts: RunningParts,
): Promise<HttpServer> {
  const health = healthOf(parts);
  const routes: readonly Routes[] = [healthRoutes({ health, metrics }), ...(parts.gateway?.routes ?? [])];
  return startHttpServer({ logger }, config.http.address, routes);
}

interface RunningParts {
  readonly processor: Processor;
  readonly gateway: Gateway | null;
  readonly relay: RunningRelay | null;
}

function healthOf({ processor, gateway, relay }: RunningParts): HealthSource {
  return {
    live() {
      const hasFailed = processor.state() === 'failed';
      return { ok: !hasFailed, reason: hasFailed ? 'the processor failed, see its log' : null };
    },
    ready() {
      const outages = [...processor.outages()].map(([dependency]) => `${dependency} does not answer`);
      const state = processor.state();
      const own = state === 'running' ? outages : [`the processor is ${state}`, ...outages];
      const reasons = [...own, ...(relay?.troubles() ?? []), ...(gateway?.ready().reasons ?? [])];
      return {
        ok: reasons.length === 0,
        reasons,
        detail: {
          state,
          tasks: processor.tasks(),
          inFlight: processor.inFlight(),
          consumerAgeMs: Math.round(processor.lastProgressAgeMs()),
          gates: processor.gates(),
          clockSkewMs: Math.round(processor.clockSkewMs()),
        },
      };
    },
  };
}

// `pin run relay`: the relay alone, with its health and metrics, until it is asked to stop or cannot go on.
import { type HealthSource, healthRoutes } from '../gateway/health.ts';
import { startHttpServer } from '../gateway/http-server.ts';
import { Fault } from '../runtime/fault.ts';
import { lifecycle } from '../runtime/lifecycle.ts';
import { prometheusMetrics } from '../runtime/prometheus-metrics.ts';
import type { Config } from './config/config.ts';
import { logOfConfig, registryOfConfig } from './connections.ts';
import type { Environment } from './environment.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { packageVersion } from './package-version.ts';
import { assembleRelay, type RunningRelay } from './relay-assembly.ts';
import { serviceLogger } from './service-logger.ts';

/** Beyond the relay's own limit: closing pools and the HTTP server. */
const CLOSING_RESERVE_MS = 5_000;

/** @throws Fault when it may not or cannot start */
export async function runRelay(config: Config, environment: Environment): Promise<ExitCode> {
  if (config.relay.sources === null) {
    const sentence = 'there is nothing to relay: PIN_RELAY_SCHEMAS names no outbox table';
    throw new Fault('CONFIG_RELAY_SCHEMAS', sentence, { retriable: false });
  }
  const logger = serviceLogger(config, environment);
  const metrics = prometheusMetrics({ version: packageVersion(), node: process.versions.node });
  const life = lifecycle({ ...environment, logger }, config.processor.stopLimitMs + CLOSING_RESERVE_MS);
  environment.signal.addEventListener('abort', () =>
    life.requestStop({ kind: 'asked', by: String(environment.signal.reason) }),
  );
  try {
    const servers = {
      log: logOfConfig(environment, config, logger),
      registry: registryOfConfig(environment, config),
    };
    const onBroken = (error: unknown) => {
      logger.error('relay.failed', { detail: String(error) });
      life.requestStop({ kind: 'failed', error });
    };
    const relay = await assembleRelay(environment, config, servers, { logger, metrics }, onBroken);
    life.add('relay', relay.stop);
    const http = await startHttpServer({ logger }, config.http.address, [
      healthRoutes({ health: healthOf(relay), metrics }),
    ]);
    life.add('http', http.close);
    logger.info('process.started', { version: packageVersion(), http: http.url });
  } catch (error) {
    await life.stop({ kind: 'failed', error });
    throw error;
  }
  const reason = await life.stopRequested;
  const { unfinished } = await life.stop(reason);
  logger.info('process.stopped', { unfinished: unfinished.join(',') });
  if (reason.kind === 'failed') return EXIT.bug;
  return unfinished.length === 0 ? EXIT.ok : EXIT.failure;
}

function healthOf(relay: RunningRelay): HealthSource {
  return {
    live: () => ({ ok: true, reason: null }),
    ready() {
      const reasons = relay.troubles();
      return { ok: reasons.length === 0, reasons, detail: { sources: relay.sources } };
    },
  };
}

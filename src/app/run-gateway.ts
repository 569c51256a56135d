// `pin run gateway`: the doors of upstream services alone. It needs the log, the registry and, for reading, the tables; it owns no task.
import { healthRoutes } from '../gateway/health.ts';
import { startHttpServer } from '../gateway/http-server.ts';
import { lifecycle } from '../runtime/lifecycle.ts';
import { prometheusMetrics } from '../runtime/prometheus-metrics.ts';
import type { Config } from './config/config.ts';
import { logOfConfig, registryOfConfig } from './connections.ts';
import type { Environment } from './environment.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { openGateway } from './gateway-assembly.ts';
import { packageVersion } from './package-version.ts';
import { serviceLogger } from './service-logger.ts';

/** @throws Fault when it cannot start */
export async function runGateway(config: Config, environment: Environment): Promise<ExitCode> {
  const logger = serviceLogger(config, environment);
  const metrics = prometheusMetrics({ version: packageVersion(), node: process.versions.node });
  const life = lifecycle({ ...environment, logger }, config.processor.stopLimitMs);
  environment.signal.addEventListener('abort', () =>
    life.requestStop({ kind: 'asked', by: String(environment.signal.reason) }),
  );
  const servers = {
    log: logOfConfig(environment, config, logger),
    registry: registryOfConfig(environment, config),
  };
  try {
    const gateway = await openGateway(environment, config, servers, { logger, metrics });
    life.add('gateway', gateway.close);
    const health = { live: () => ({ ok: true, reason: null }), ready: gateway.ready };
    const routes = [healthRoutes({ health, metrics }), ...gateway.routes];
    const http = await startHttpServer({ logger }, config.http.address, routes);
    life.add('http', http.close);
    logger.info('process.started', { version: packageVersion(), http: http.url });
  } catch (error) {
    await life.stop({ kind: 'failed', error });
    throw error;
  }
  const { unfinished } = await life.stop(await life.stopRequested);
  logger.info('process.stopped', { unfinished: unfinished.join(',') });
  return unfinished.length === 0 ? EXIT.ok : EXIT.failure;
}

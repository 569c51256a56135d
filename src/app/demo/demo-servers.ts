// The servers of the demo: the whole stack where this machine can run it, else the embedded default, which is the log and the registry
// in memory and a real Postgres from npm. The first line printed says which it was.

import type { Log } from '../../broker/log.ts';
import { memoryLog } from '../../broker/memory/memory-log.ts';
import type { Logger } from '../../runtime/logger.ts';
import { memoryRegistry } from '../../streams/memory-registry.ts';
import type { SchemaRegistry } from '../../streams/registry.ts';
import type { Config } from '../config/config.ts';
import type { EnvironmentVariables } from '../config/setting-source.ts';
import { logOfConfig, registryOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import type { StackOptions } from '../stack/running-stack.ts';
import { startPostgresOnly, startStack } from '../stack/stack.ts';
import { StackUnavailable } from '../stack/stack-unavailable.ts';

export interface DemoServers {
  /** The settings that name the servers. */
  readonly variables: EnvironmentVariables;
  log(environment: Environment, config: Config, logger: Logger): Log;
  registry(environment: Environment, config: Config): SchemaRegistry;
  stop(): Promise<void>;
}

/** @throws StackUnavailable when there is not even a Postgres */
export async function startDemoServers(options: StackOptions): Promise<DemoServers> {
  try {
    const stack = await startStack(options);
    return {
      variables: {
        PIN_KAFKA_BROKERS: stack.kafkaBrokers.join(','),
        PIN_REGISTRY_URL: stack.registryUrl,
        PIN_DATABASE_URL: stack.databaseUrl,
      },
      log: logOfConfig,
      registry: registryOfConfig,
      stop: stack.stop,
    };
  } catch (error) {
    if (!(error instanceof StackUnavailable)) throw error;
    options.say(`${error.message}; until then the log and the registry are in memory, Postgres is real`);
  }
  const postgres = await startPostgresOnly(options);
  const registry = memoryRegistry();
  return {
    variables: { PIN_DATABASE_URL: postgres.databaseUrl },
    log: ({ clock, timers }) => memoryLog({ clock, timers }),
    registry: () => registry,
    stop: () => postgres.stop(),
  };
}

// The relay as `pin run` starts it, inside a test's own process, over tables of the test.
import { readConfig } from '../../src/app/config/read-config.ts';
import { assembleRelay, type RunningRelay } from '../../src/app/relay-assembly.ts';
import { invariant } from '../../src/runtime/fault.ts';
import { silentLogger } from '../../src/runtime/logger.ts';
import type { OutboxTable } from './outbox-table.ts';
import { type RealWorld, testEnvironment } from './real-service.ts';

export function relayVariables(table: OutboxTable): Readonly<Record<string, string>> {
  return { PIN_RELAY_SCHEMAS: table.schema, PIN_RELAY_DATABASE_URL: table.relayUrl };
}

/** `more`: settings beside those of the world and the table. */
export function startRelayFor(
  world: RealWorld,
  table: OutboxTable,
  more: Readonly<Record<string, string>> = {},
): Promise<RunningRelay> {
  const environment = testEnvironment({
    ...(world.environment.variables as Record<string, string>),
    ...relayVariables(table),
    ...more,
  });
  const answer = readConfig(environment.variables);
  invariant(answer.kind === 'ok', answer.kind === 'ok' ? '' : answer.errors.join('; '));
  const watched = { logger: silentLogger, metrics: world.metrics };
  return assembleRelay(environment, answer.config, world.servers, watched, (error) => {
    throw error;
  });
}

// The outbox tables and our bookkeeping, opened for one command. A table that must not be relayed like this is said and left out.
import { askSources, openOutboxes } from '../relay/open-sources.ts';
import type { Outbox } from '../relay/outbox.ts';
import type { RelayProgress } from '../relay/progress.ts';
import { Fault } from '../runtime/fault.ts';
import { type Closable, withOpen } from './cli.ts';
import type { Config } from './config/config.ts';
import { commandLogger } from './connections.ts';
import type { Environment } from './environment.ts';
import { say } from './output.ts';
import { progressOfConfig, relayAddresses } from './relay-connections.ts';

export interface OpenedRelay extends Closable {
  readonly outboxes: readonly Outbox[];
  readonly progress: RelayProgress;
}

/** @throws Fault CONFIG_RELAY_SCHEMAS when no table is set; STATE_UNAVAILABLE */
export async function withRelay<T>(
  environment: Environment,
  config: Config,
  use: (opened: OpenedRelay) => Promise<T>,
): Promise<T> {
  return withOpen(openRelay(environment, config), use);
}

async function openRelay(environment: Environment, config: Config): Promise<OpenedRelay> {
  if (config.relay.sources === null) {
    throw new Fault('CONFIG_RELAY_SCHEMAS', 'PIN_RELAY_SCHEMAS names no outbox table', { retriable: false });
  }
  const logger = commandLogger(environment, config);
  const asked = await askSources({ logger }, relayAddresses(config));
  for (const { away } of asked) if (away !== null) throw away;
  for (const sentence of asked.flatMap(({ refused }) => refused)) say(environment, sentence);
  const outboxes = openOutboxes({ logger }, asked);
  const progress = progressOfConfig(config, logger);
  return {
    outboxes,
    progress,
    async close() {
      await Promise.all([progress.close(), ...outboxes.map((outbox) => outbox.close())]);
    },
  };
}

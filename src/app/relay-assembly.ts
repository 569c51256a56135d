// Settings and servers become a running relay. It starts only where every outbox table may be read as a whole by its role; a database that
// does not answer yet is asked again while the others are relayed.
import type { Log } from '../broker/log.ts';
import { askSources, sourceOpener } from '../relay/open-sources.ts';
import { startRelay } from '../relay/relay.ts';
import { Fault } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { openCodec } from '../streams/codec.ts';
import type { SchemaRegistry } from '../streams/registry.ts';
import type { Config } from './config/config.ts';
import { topicsOfConfig } from './connections.ts';
import type { Environment } from './environment.ts';
import { progressOfConfig, relayAddresses } from './relay-connections.ts';

export interface RunningRelay {
  readonly sources: readonly string[];
  /** What cannot go on now and why, in words. */
  troubles(): readonly string[];
  stop(): Promise<void>;
}

const MIN_UPKEEP_MS = 1_000;
const MAX_UPKEEP_MS = 60_000;
/** Records are looked for this often in the time after which one is missing. */
const LOOKS_PER_MISSING = 10;

/** @throws Fault START_UNSAFE (exit code 78) with a sentence for each table that must not be relayed like this; LOG_UNAVAILABLE */
export async function assembleRelay(
  environment: Environment,
  config: Config,
  servers: { readonly log: Log; readonly registry: SchemaRegistry },
  watched: { readonly logger: Logger; readonly metrics: Metrics },
  onBroken: (error: unknown) => void,
): Promise<RunningRelay> {
  const { clock, timers, ids } = environment;
  const topics = topicsOfConfig(config);
  const asked = await askSources(watched, relayAddresses(config));
  refuse(asked.flatMap(({ refused }) => refused));
  const codec = await openCodec({ registry: servers.registry, clock }, topics);
  const progress = progressOfConfig(config, watched.logger);
  const sources = asked.map((one) => ({
    key: one.source.key,
    databaseUrl: one.databaseUrl,
    open: sourceOpener(watched, one),
  }));
  const { batchRows, leaseMs, pollMs, missingAfterMs, retentionMs } = config.relay;
  const settings = {
    ...{ batchRows, leaseMs, retentionMs, maxPauseMs: pollMs, checkAfterMs: missingAfterMs },
    processId: config.profile.processId ?? `pin-relay-${ids.uuid()}`,
    upkeepPeriodMs: Math.min(MAX_UPKEEP_MS, Math.max(MIN_UPKEEP_MS, missingAfterMs / LOOKS_PER_MISSING)),
    stopLimitMs: config.processor.stopLimitMs / 3,
  };
  try {
    const deps = { ...watched, clock, timers, log: servers.log, codec, topics, progress, sources, onBroken };
    const relay = await startRelay(deps, settings);
    return {
      sources: sources.map(({ key }) => key),
      troubles: relay.troubles,
      async stop() {
        await relay.stop();
        await progress.close();
      },
    };
  } catch (error) {
    await progress.close();
    throw error;
  }
}

function refuse(sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  const list = sentences.map((sentence) => `\n  ${sentence}`).join('');
  throw new Fault('START_UNSAFE', `it is not safe to start the relay:${list}\n`, { retriable: false });
}

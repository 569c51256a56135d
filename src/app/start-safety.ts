// Asks the servers what start must know, and answers with a sentence for each unsafe setting (src/ops/start-checks.ts).
// `pin run` refuses to start on any of them; `pin check` prints them.

import type { Log } from '../broker/log.ts';
import { type StartFacts, startChecks } from '../ops/start-checks.ts';
import { Fault } from '../runtime/fault.ts';
import type { NotificationStore } from '../state/store.ts';
import type { Config } from './config/config.ts';
import { topicsOfConfig } from './connections.ts';
import type { Environment } from './environment.ts';

/** @throws Fault LOG_UNAVAILABLE, STATE_UNAVAILABLE */
export async function unsafeSettings(
  environment: Environment,
  config: Config,
  servers: { readonly log: Log; readonly store: NotificationStore },
): Promise<readonly string[]> {
  return startChecks(await startFacts(environment, config, servers));
}

/** @throws Fault START_UNSAFE (exit code 78) with every sentence */
export async function refuseUnsafeStart(
  environment: Environment,
  config: Config,
  servers: { readonly log: Log; readonly store: NotificationStore },
): Promise<void> {
  const sentences = await unsafeSettings(environment, config, servers);
  // Topics and settings agree: from now on this is the count.
  if (sentences.length === 0) return void (await servers.store.rememberPartitions(config.topics.partitions));
  const list = sentences.map((sentence) => `\n  ${sentence}`).join('');
  throw new Fault('START_UNSAFE', `it is not safe to start:${list}\n`, { retriable: false });
}

async function startFacts(
  { clock }: Environment,
  config: Config,
  { log, store }: { readonly log: Log; readonly store: NotificationStore },
): Promise<StartFacts> {
  const topics = topicsOfConfig(config);
  const admin = await log.admin();
  try {
    const descriptions = await admin.describe(topics.contracts.map(({ topic }) => topic));
    const { nowMs } = await store.load([]);
    const clockSkewMs = clock.nowMs() - nowMs;
    return {
      isProduction: config.profile.name === 'production',
      topics,
      descriptions,
      configuredPartitions: config.topics.partitions,
      storedPartitions: await store.storedPartitions(),
      providers: config.providers,
      leaseMs: config.processor.leaseMs,
      stopLimitMs: config.processor.stopLimitMs,
      watchdogMs: config.processor.watchdogMs,
      clockSkewMs,
      maxClockSkewMs: config.processor.maxClockSkewMs,
      memories: [
        {
          setting: 'PIN_RETENTION_TOMBSTONES',
          keepMs: config.retention.tombstonesMs,
          otherwise: 'a request that is read again could be sent again',
        },
        {
          setting: 'PIN_RETENTION_REFUSED_COMMANDS',
          keepMs: config.retention.refusedCommandsMs,
          otherwise: 'a refused command that is read again could be obeyed',
        },
      ],
    };
  } finally {
    await admin.close();
  }
}

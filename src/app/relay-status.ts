// What `pin relay status` prints: a line for each outbox table.
import { type SourceStatus, sourceStatus } from '../relay/source-status.ts';
import { isoTime } from '../runtime/clock.ts';
import { roughDuration } from '../runtime/duration.ts';
import type { Environment } from './environment.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { loadConfig } from './load-config.ts';
import { withRelay } from './opened-relay.ts';
import { printJson, printTable } from './output.ts';

const HEAD = ['table', 'pending', 'oldest', 'claimed', 'waiting for outcome', 'to be told', 'dead'];

export async function printRelayStatus(environment: Environment, asJson: boolean): Promise<ExitCode> {
  const config = loadConfig(environment);
  return withRelay(environment, config, async ({ outboxes, progress }) => {
    const all = await Promise.all(outboxes.map((outbox) => sourceStatus(outbox, progress)));
    if (asJson) for (const status of all) printJson(environment, factsOf(status));
    else
      printTable(
        environment,
        HEAD,
        all.map((status) => cellsOf(status, environment.clock.nowMs())),
      );
    return outboxes.length === (config.relay.sources ?? []).length ? EXIT.ok : EXIT.badConfiguration;
  });
}

function factsOf({ oldestAtMs, ...counts }: SourceStatus) {
  return { ...counts, oldestAt: oldestAtMs === null ? null : isoTime(oldestAtMs) };
}

function cellsOf(status: SourceStatus, nowMs: number) {
  const { source, pending, oldestAtMs, claimed, waiting, unstamped, dead } = status;
  const age = oldestAtMs === null ? null : roughDuration(nowMs - oldestAtMs);
  return [source, pending, age, claimed, waiting, unstamped, dead];
}

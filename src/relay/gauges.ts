// Fills the relay's gauges: how much is pending over all sources, and how old the oldest of it is. A reading that fails keeps the last values.
import type { Clock } from '../runtime/clock.ts';
import { messageOf } from '../runtime/fault.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { pause } from '../runtime/timers.ts';
import type { Outbox } from './outbox.ts';
import type { RelayProgress } from './progress.ts';
import { sourceStatus } from './source-status.ts';
import { type SteadyDeps, steadyLoop } from './steady-loop.ts';

const PERIOD_MS = 15_000;

export interface RelayGaugeDeps extends SteadyDeps {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly progress: RelayProgress;
  readonly opened: () => readonly Outbox[];
}

/** Resolves after the stop. */
export function startRelayGauges(deps: RelayGaugeDeps): Promise<void> {
  return steadyLoop(deps, 'gauges', async () => {
    await readOnce(deps).catch((error: unknown) =>
      deps.logger.debug('gauges.unread', { detail: messageOf(error) }),
    );
    await pause(deps.timers, PERIOD_MS, deps.stopping);
  });
}

async function readOnce({ opened, progress, metrics, clock }: RelayGaugeDeps): Promise<void> {
  const all = await Promise.all(opened().map((outbox) => sourceStatus(outbox, progress)));
  const nowMs = clock.nowMs();
  const ages = all.map(({ oldestAtMs }) => (oldestAtMs === null ? 0 : Math.max(0, nowMs - oldestAtMs)));
  metrics.set(
    'pin_relay_pending',
    {},
    all.reduce((sum, { pending }) => sum + pending, 0),
  );
  metrics.set('pin_relay_oldest_seconds', {}, Math.max(0, ...ages) / 1_000);
}

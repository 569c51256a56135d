// The http provider against the lab's vendor: real sockets on loopback, virtual time for the provider's deadline.
import type { Capability } from '../../../src/domain/call-outcome.ts';
import { type HttpVendorSettings, startHttpVendor } from '../../../src/lab/http-vendor.ts';
import { type HttpProviderSettings, httpProvider } from '../../../src/providers/http/http-provider.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { silentLogger } from '../../../src/runtime/logger.ts';
import { systemTimers } from '../../../src/runtime/timers.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';

export interface HttpWorldSettings {
  readonly capability?: Capability;
  readonly vendor?: HttpVendorSettings;
  readonly provider?: Partial<HttpProviderSettings>;
}

export async function openHttpWorld(settings: HttpWorldSettings = {}) {
  const capability = settings.capability ?? 'key';
  const time = virtualTime(systemClock.nowMs());
  const vendor = await startHttpVendor(
    { clock: systemClock, timers: systemTimers },
    { capability, ...settings.vendor },
  );
  const provider = httpProvider(
    { clock: time.clock, timers: time.timers, logger: silentLogger },
    {
      providerKey: 'lab',
      url: vendor.url,
      capability,
      windowMs: null,
      secret: null,
      maxConcurrency: 8,
      ratePerSecond: null,
      visibilityDelayMs: 0,
      ...settings.provider,
    },
  );
  return {
    vendor,
    provider,
    time,
    async close(): Promise<void> {
      await vendor.close();
      await provider.close();
    },
  };
}

export type HttpWorld = Awaited<ReturnType<typeof openHttpWorld>>;

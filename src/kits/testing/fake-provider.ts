// A provider of the `http` protocol on loopback that answers faithfully, misbehaves on order, and keeps a ledger of what it delivered:
// for tests of a whole installation, where PIN_PROVIDER_<NAME>_URL points at it.
import { type HttpVendor, type HttpVendorSettings, startHttpVendor } from '../../lab/http-vendor.ts';
import { systemClock } from '../../runtime/clock.ts';
import { systemTimers } from '../../runtime/timers.ts';

/** @throws Fault PIN_LAB_LISTEN when the port is taken */
export function startFakeProvider(settings: HttpVendorSettings = {}): Promise<HttpVendor> {
  return startHttpVendor({ clock: systemClock, timers: systemTimers }, settings);
}

// The lab as a command: starts the vendor and says where it is and how to order misbehaviour. It runs until `stop` aborts.
import { type HttpVendorDeps, type HttpVendorSettings, startHttpVendor } from './http-vendor.ts';

export interface LabDeps extends HttpVendorDeps {
  /** One line for a person. */
  say(line: string): void;
}

/** @throws Fault PIN_LAB_LISTEN when the port is taken */
export async function runLab(deps: LabDeps, settings: HttpVendorSettings, stop: AbortSignal): Promise<void> {
  const vendor = await startHttpVendor(deps, settings);
  const { controlUrl } = vendor;
  deps.say(`vendor of the http protocol: ${vendor.url}`);
  deps.say(`  as a provider: PIN_PROVIDER_LAB_ADAPTER=http PIN_PROVIDER_LAB_URL=${vendor.url}`);
  deps.say(`  capability ${settings.capability ?? 'key'}`);
  deps.say(`ledger: curl ${controlUrl}ledger`);
  deps.say('orders:');
  deps.say(
    `  curl ${controlUrl}plan -d '{"reference": "<id>", "answers": [{"kind": "page", "status": 502}]}'`,
  );
  deps.say(`  curl ${controlUrl}rule -d '{"rules": [{"share": 0.1, "answer": {"kind": "hang"}}]}'`);
  deps.say(`  curl -X POST ${controlUrl}reset`);
  await untilAborted(stop);
  await vendor.close();
  const { calls, delivered } = vendor.ledger.totals;
  deps.say(`vendor stopped: ${calls} calls, ${delivered} messages delivered`);
}

function untilAborted(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}

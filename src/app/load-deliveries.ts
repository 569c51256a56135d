// The deliveries that teams bring: files of theirs, loaded once at start. It promises that what starts has the shape of a delivery and
// belongs to this processor; it never looks inside.
import { pathToFileURL } from 'node:url';
import type { NotificationDelivery } from '../providers/delivery/notification-delivery.ts';
import type { ProviderSettings } from '../providers/open-providers.ts';
import { Fault, messageOf } from '../runtime/fault.ts';

/** By provider key, of every instance of adapter `module`. @throws Fault PIN_PROVIDER_SETTINGS with a sentence */
export async function loadDeliveries(
  providers: readonly ProviderSettings[],
  consumer: string,
): Promise<ReadonlyMap<string, NotificationDelivery>> {
  const deliveries = new Map<string, NotificationDelivery>();
  for (const { adapter, module, providerKey } of providers) {
    if (adapter !== 'module' || module === null) continue;
    const delivery = deliveryIn(await loaded(module), module);
    if (delivery.consumer !== consumer) {
      throw refused(
        `${module}: its delivery is for the consumer ${delivery.consumer}, and PIN_CONSUMER is ${consumer}: each has its own state and retries`,
      );
    }
    deliveries.set(providerKey, delivery);
  }
  return deliveries;
}

async function loaded(path: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw refused(`${path} cannot be loaded: ${messageOf(error)}`);
  }
}

function deliveryIn(module: unknown, path: string): NotificationDelivery {
  const delivery = (module as { readonly delivery?: Partial<NotificationDelivery> }).delivery;
  if (typeof delivery?.deliver !== 'function' || typeof delivery.consumer !== 'string') {
    throw refused(`${path} has no export \`delivery\` with a \`consumer\` and a function \`deliver\``);
  }
  return delivery as NotificationDelivery;
}

function refused(sentence: string): Fault {
  return new Fault('PIN_PROVIDER_SETTINGS', sentence, { retriable: false });
}

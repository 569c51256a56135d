// Makes the provider instances that the settings name. All that is wrong with them is said at once.
import type { Capability } from '../domain/call-outcome.ts';
import { Fault, invariant, messageOf } from '../runtime/fault.ts';
import { deliveryProvider } from './delivery/delivery-provider.ts';
import type { NotificationDelivery } from './delivery/notification-delivery.ts';
import { type HttpProviderDeps, httpProvider } from './http/http-provider.ts';
import { signer } from './http/signature.ts';
import { inAppProvider } from './in-app-provider.ts';
import type { Provider } from './provider.ts';
import { stubProvider } from './stub-provider.ts';

/** One instance as read from PIN_PROVIDER_<NAME>_*; null where nothing is set. */
export interface ProviderSettings {
  readonly providerKey: string;
  /** One of ADAPTERS. */
  readonly adapter: string | null;
  readonly url: string | null;
  /** Of adapter `module`: the file whose export `delivery` is the delivery. */
  readonly module: string | null;
  readonly capability: Capability | null;
  readonly windowMs: number | null;
  readonly visibilityDelayMs: number | null;
  readonly secret: string | null;
  readonly deadlineMs: number;
  readonly maxConcurrency: number;
  readonly ratePerSecond: number | null;
}

const ADAPTERS = ['http', 'in-app', 'module', 'stub'] as const;

/** What vendors commonly keep a key for. For ever must not be the silent default: it would repeat what was forgotten. */
const DEFAULT_WINDOW_MS = 86_400_000;

/**
 * Opens all of them; no connection is made before the first call. `deliveries` holds that of each instance of adapter `module`.
 * @throws Fault PIN_PROVIDER_SETTINGS with one sentence per mistake
 */
export function openProviders(
  deps: HttpProviderDeps,
  settings: readonly ProviderSettings[],
  deliveries: ReadonlyMap<string, NotificationDelivery> = new Map(),
): ReadonlyMap<string, Provider> {
  const mistakes = providerSettingsMistakes(settings);
  if (mistakes.length > 0)
    throw new Fault('PIN_PROVIDER_SETTINGS', mistakes.join('; '), { retriable: false });
  return new Map(
    settings.map((one) => [
      one.providerKey,
      one.adapter === 'module'
        ? openDelivery(deps, one, deliveries.get(one.providerKey))
        : openProvider(deps, one),
    ]),
  );
}

/** One sentence per mistake; none when `openProviders` would take them. */
export function providerSettingsMistakes(settings: readonly ProviderSettings[]): readonly string[] {
  const keys = settings.map((one) => one.providerKey);
  const twice = [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))];
  return [
    ...twice.map((key) => `provider ${key}: named twice`),
    ...settings.flatMap((one) => mistakesOf(one).map((mistake) => `provider ${one.providerKey}: ${mistake}`)),
  ];
}

function openDelivery(
  deps: HttpProviderDeps,
  settings: ProviderSettings,
  delivery: NotificationDelivery | undefined,
): Provider {
  const { providerKey, deadlineMs, maxConcurrency, ratePerSecond } = settings;
  invariant(delivery !== undefined, `nobody loaded the delivery of ${providerKey}`);
  const capability = settings.capability === 'none' ? 'none' : 'key';
  const windowMs = capability === 'none' ? null : (settings.windowMs ?? DEFAULT_WINDOW_MS);
  const facts = { providerKey, capability, windowMs, deadlineMs, maxConcurrency, ratePerSecond } as const;
  return deliveryProvider(deps, facts, delivery);
}

function openProvider(deps: HttpProviderDeps, settings: ProviderSettings): Provider {
  const { providerKey, url } = settings;
  if (settings.adapter === 'in-app') return inAppProvider(providerKey);
  if (settings.adapter === 'stub' || url === null) return stubProvider(providerKey);
  const capability = settings.capability ?? 'none';
  const isBounded = capability === 'key' || capability === 'lookup';
  return httpProvider(deps, {
    providerKey,
    url,
    capability,
    windowMs: settings.windowMs ?? (isBounded ? DEFAULT_WINDOW_MS : null),
    secret: settings.secret,
    deadlineMs: settings.deadlineMs,
    maxConcurrency: settings.maxConcurrency,
    ratePerSecond: settings.ratePerSecond,
    visibilityDelayMs: settings.visibilityDelayMs ?? 0,
  });
}

function mistakesOf(settings: ProviderSettings): readonly string[] {
  if (settings.adapter === null) return ['the adapter is not set'];
  if (settings.adapter === 'stub' || settings.adapter === 'in-app') return [];
  if (settings.adapter === 'module') return [...moduleMistakes(settings), ...numberMistakes(settings)];
  if (settings.adapter !== 'http')
    return [`the adapter ${settings.adapter} is unknown; there are ${ADAPTERS.join(', ')}`];
  return [...urlMistakes(settings.url), ...numberMistakes(settings), ...secretMistakes(settings.secret)];
}

function moduleMistakes({ module, capability }: ProviderSettings): readonly string[] {
  const mistakes: string[] = [];
  if (module === null) mistakes.push('the adapter module needs a MODULE');
  if (capability === 'lookup' || capability === 'replace')
    mistakes.push(`the adapter module has no capability ${capability}: key or none`);
  return mistakes;
}

function urlMistakes(text: string | null): readonly string[] {
  if (text === null) return ['the adapter http needs a URL'];
  if (!URL.canParse(text)) return ['the URL cannot be read'];
  const url = new URL(text);
  const mistakes: string[] = [];
  if (url.protocol !== 'http:' && url.protocol !== 'https:') mistakes.push('the URL must be http or https');
  if (url.username !== '' || url.password !== '')
    mistakes.push('the URL must not carry a user or password: use the secret');
  if (url.hash !== '') mistakes.push('the URL must not have a #fragment');
  return mistakes;
}

function numberMistakes(settings: ProviderSettings): readonly string[] {
  const { maxConcurrency, deadlineMs, ratePerSecond } = settings;
  const mistakes: string[] = [];
  if (!Number.isInteger(maxConcurrency) || maxConcurrency < 1)
    mistakes.push('the concurrency must be a whole number from 1');
  if (!(deadlineMs > 0)) mistakes.push('the deadline must be longer than 0');
  if (ratePerSecond !== null && !(ratePerSecond > 0)) mistakes.push('the rate must be above 0');
  return mistakes;
}

function secretMistakes(secret: string | null): readonly string[] {
  try {
    signer(secret);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

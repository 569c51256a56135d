// The settings of provider instances: PIN_PROVIDER_<NAME>_<WHAT>. An instance exists when one of its settings is set;
// PIN_PROVIDER_SMS_MAIN_ADAPTER=http makes the instance `sms-main`.
import type { ProviderSettings } from '../../providers/open-providers.ts';
import { optionalSetting, type Setting, setting } from './setting.ts';
import { duration, oneOf, positiveNumber, textLike, urlOf, wholeNumber } from './value-schemas.ts';

const PREFIX = 'PIN_PROVIDER_';
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const NAME = /^[A-Z0-9]+(_[A-Z0-9]+)*$/;
const CAPABILITIES = ['key', 'lookup', 'replace', 'none'] as const;

/** The last words of a provider's settings, each with the key of its value. */
const SUFFIXES = {
  adapter: 'ADAPTER',
  url: 'URL',
  module: 'MODULE',
  capability: 'CAPABILITY',
  windowMs: 'WINDOW',
  visibilityDelayMs: 'VISIBILITY_DELAY',
  secret: 'SECRET',
  deadlineMs: 'DEADLINE',
  maxConcurrency: 'CONCURRENCY',
  ratePerSecond: 'RATE',
} as const satisfies Record<Exclude<keyof ProviderSettings, 'providerKey'>, string>;

const FILE_SUFFIXES = [`${SUFFIXES.secret}_FILE`, `${SUFFIXES.url}_FILE`];

/** Longest first, so that `VISIBILITY_DELAY` is not taken for the name of something else. */
export const PROVIDER_SUFFIXES: readonly string[] = [...Object.values(SUFFIXES), ...FILE_SUFFIXES].sort(
  (left, right) => right.length - left.length,
);

/** The settings of one instance; `name` as in the variables. */
export function settingsOfProvider(name: string): Readonly<Record<keyof typeof SUFFIXES, Setting<unknown>>> {
  const env = (key: keyof typeof SUFFIXES) => `${PREFIX}${name}_${SUFFIXES[key]}`;
  const adapterName = textLike(/^[a-z][a-z0-9-]{0,31}$/, 'the name of an adapter, such as http');
  return {
    adapter: optionalSetting(env('adapter'), 'Which adapter speaks to it.', adapterName),
    url: optionalSetting(env('url'), 'Where it is.', urlOf(['http', 'https']), { secrecy: 'url' }),
    module: optionalSetting(
      env('module'),
      'Of the adapter module: the file that exports `delivery`.',
      textLike(/^\/[^\r\n]{1,1023}$/, 'an absolute path'),
    ),
    capability: optionalSetting(env('capability'), 'How a lost call is resolved.', oneOf(CAPABILITIES)),
    windowMs: optionalSetting(
      env('windowMs'),
      'How long the capability holds.',
      duration(SECOND_MS, 90 * DAY_MS),
    ),
    visibilityDelayMs: optionalSetting(
      env('visibilityDelayMs'),
      'How long a lookup may not see a call yet.',
      duration(0, DAY_MS),
    ),
    secret: optionalSetting(env('secret'), 'Signs requests.', textLike(/^\S+$/, 'without spaces'), {
      secrecy: 'whole',
    }),
    deadlineMs: setting(env('deadlineMs'), 'Limit of one call.', duration(100, 10 * 60 * SECOND_MS), '15s'),
    maxConcurrency: setting(env('maxConcurrency'), 'Calls at once.', wholeNumber(1, 10_000), '32'),
    ratePerSecond: optionalSetting(env('ratePerSecond'), 'Calls per second.', positiveNumber(100_000)),
  };
}

/** The instances that the environment names, in order, and the names that fit no provider setting. */
export function providerNames(names: readonly string[]): {
  found: readonly string[];
  unknown: readonly string[];
} {
  const found = new Set<string>();
  const unknown: string[] = [];
  for (const name of names.filter((candidate) => candidate.startsWith(PREFIX))) {
    const suffix = PROVIDER_SUFFIXES.find((candidate) => name.endsWith(`_${candidate}`));
    const instance = suffix === undefined ? '' : name.slice(PREFIX.length, -suffix.length - 1);
    if (NAME.test(instance)) found.add(instance);
    else unknown.push(name);
  }
  return { found: [...found].sort(), unknown };
}

/** `SMS_MAIN` → `sms-main`: how channels name it. */
export function providerKeyOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

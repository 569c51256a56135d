// Reads every setting once, at start. It promises: either a complete, validated configuration, or every error at once, in sentences
// that name the setting. It never prints a secret, and it never guesses: an unknown PIN_ name is an error.
import type { ProviderSettings } from '../../providers/open-providers.ts';
import type { Config } from './config.ts';
import { contradictions } from './contradictions.ts';
import { type EffectiveSetting, effectiveSetting } from './effective-setting.ts';
import { providerKeyOf, providerNames, settingsOfProvider } from './provider-settings.ts';
import { relayDatabaseKey, relayDatabaseNames, relayDatabaseSetting } from './relay-settings.ts';
import type { Profile, Setting } from './setting.ts';
import {
  type EnvironmentVariables,
  type RawText,
  type ReadFile,
  rawText,
  readTextFile,
  variable,
} from './setting-source.ts';
import { SETTINGS } from './settings.ts';
import { unknownNames } from './unknown-names.ts';

export type ConfigAnswer =
  | { readonly kind: 'ok'; readonly config: Config; readonly effective: readonly EffectiveSetting[] }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] };

/** What the reading of one environment gathers on its way. */
interface Reading {
  readonly environment: EnvironmentVariables;
  readonly readFile: ReadFile;
  readonly profile: Profile;
  readonly errors: string[];
  readonly effective: EffectiveSetting[];
  readonly known: string[];
}

type SettingGroup = Readonly<Record<string, Setting<unknown>>>;

/** Parses and validates the environment. Secrets may come from files (`NAME_FILE`). */
export function readConfig(
  environment: EnvironmentVariables,
  readFile: ReadFile = readTextFile,
): ConfigAnswer {
  const profile = variable(environment, 'PIN_PROFILE') === 'production' ? 'production' : 'development';
  const reading: Reading = { environment, readFile, profile, errors: [], effective: [], known: [] };
  const groups = Object.entries(SETTINGS).map(([name, group]) => [name, readGroup(reading, group)]);
  const instances = providerNames(Object.keys(environment));
  const providers = instances.found.map((name) => readProvider(reading, name));
  const relayDatabases = readRelayDatabases(reading, Object.keys(environment));
  const config = { ...Object.fromEntries(groups), providers, relayDatabases } as Config;
  const errors = [...reading.errors, ...unknownNames(environment, reading.known, instances.unknown)];
  if (errors.length === 0) errors.push(...contradictions(config));
  return errors.length === 0
    ? { kind: 'ok', config, effective: reading.effective }
    : { kind: 'invalid', errors };
}

function readGroup(reading: Reading, group: SettingGroup): Record<string, unknown> {
  return Object.fromEntries(Object.entries(group).map(([key, setting]) => [key, readOne(reading, setting)]));
}

function readProvider(reading: Reading, name: string): ProviderSettings {
  const values = readGroup(reading, settingsOfProvider(name)) as Omit<ProviderSettings, 'providerKey'>;
  return { providerKey: providerKeyOf(name), ...values };
}

function readRelayDatabases(reading: Reading, names: readonly string[]): ReadonlyMap<string, string> {
  const urls = relayDatabaseNames(names).map((name) => {
    const url = readOne(reading, relayDatabaseSetting(name));
    return [relayDatabaseKey(name), typeof url === 'string' ? url : ''] as const;
  });
  return new Map(urls);
}

/** The value of one setting; null when it is not set or wrong (then the error is noted). */
function readOne(reading: Reading, setting: Setting<unknown>): unknown {
  const takesFile = setting.secrecy !== 'open';
  reading.known.push(setting.env, ...(takesFile ? [`${setting.env}_FILE`] : []));
  const fallback = setting.fallback[reading.profile];
  const raw = rawText(reading.environment, reading.readFile, { env: setting.env, takesFile, fallback });
  const missing = reading.profile === 'production' ? missingInProduction(setting, raw) : null;
  if (missing !== null) reading.errors.push(missing);
  if (raw.kind === 'error') reading.errors.push(raw.error);
  if (raw.kind !== 'text') {
    reading.effective.push(effectiveSetting(setting, null, 'default'));
    return null;
  }
  reading.effective.push(effectiveSetting(setting, raw.text, raw.source));
  return parsed(reading, setting, raw.text);
}

function parsed(reading: Reading, setting: Setting<unknown>, text: string): unknown {
  const answer = setting.schema.safeParse(text);
  if (answer.success) return answer.data;
  const shown = setting.secrecy === 'open' ? `${JSON.stringify(text)} ` : '';
  for (const issue of answer.error.issues) reading.errors.push(`${setting.env}: ${shown}${issue.message}`);
  return null;
}

function missingInProduction(setting: Setting<unknown>, raw: RawText): string | null {
  if (setting.inProduction === 'optional' || raw.kind === 'error') return null;
  const source = raw.kind === 'text' ? raw.source : 'default';
  if (setting.inProduction === 'file' && source !== 'file') {
    return `${setting.env}_FILE must name a file in production: an environment variable is too easy to read`;
  }
  return source === 'default'
    ? `${setting.env} must be set in production: its default is for development`
    : null;
}

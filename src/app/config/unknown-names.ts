// A misspelt setting must not be ignored in silence: every PIN_ name that nothing reads is reported, with the name that was probably meant.
import { nearMiss } from './near-miss.ts';
import { PROVIDER_SUFFIXES } from './provider-settings.ts';
import { type EnvironmentVariables, variable } from './setting-source.ts';

const SERVICE_LINK =
  /^PIN_(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;

/** Kubernetes adds such names for a service that is called `pin` or `pin-…`; they are nobody's setting. */
function isServiceLink(name: string, text: string): boolean {
  return SERVICE_LINK.test(name) || (/^PIN_(.+_)?PORT$/.test(name) && /^(tcp|udp|sctp):\/\//.test(text));
}

/** One sentence for each PIN_ name outside `known`; `badProviderNames` are those with an unknown last word. */
export function unknownNames(
  environment: EnvironmentVariables,
  known: readonly string[],
  badProviderNames: readonly string[],
): readonly string[] {
  const knownSet = new Set(known);
  return Object.keys(environment)
    .filter((name) => name.startsWith('PIN_') && !knownSet.has(name))
    .filter((name) => !isServiceLink(name, environment[name] ?? '') && variable(environment, name) !== null)
    .sort()
    .map((name) => {
      const meant = badProviderNames.includes(name) ? nearProviderName(name) : nearMiss(name, known);
      return `${name} is not a setting${meant === null ? '' : `: did you mean ${meant}?`}`;
    });
}

function nearProviderName(name: string): string | null {
  const words = name.split('_');
  for (const count of [1, 2]) {
    const suffix = nearMiss(words.slice(-count).join('_'), PROVIDER_SUFFIXES);
    if (suffix !== null && words.length > 2 + count) return [...words.slice(0, -count), suffix].join('_');
  }
  return null;
}

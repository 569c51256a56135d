// A setting as it took effect, safe to print: secrets are `***`, and passwords inside URLs too.
import type { Setting } from './setting.ts';
import type { Source } from './setting-source.ts';

export interface EffectiveSetting {
  readonly env: string;
  /** The text that is in force; null: not set. */
  readonly shown: string | null;
  readonly source: Source;
  readonly doc: string;
}

export function effectiveSetting(
  setting: Setting<unknown>,
  text: string | null,
  source: Source,
): EffectiveSetting {
  return {
    env: setting.env,
    shown: text === null ? null : masked(text, setting.secrecy),
    source,
    doc: setting.doc,
  };
}

function masked(text: string, secrecy: Setting<unknown>['secrecy']): string {
  if (secrecy === 'open') return text;
  if (secrecy === 'whole' || !URL.canParse(text)) return '***';
  return maskedUrl(text);
}

/** Hides the password, and every value of the query: drivers take passwords there too. */
function maskedUrl(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  for (const key of new Set(url.searchParams.keys())) url.searchParams.set(key, '***');
  return url.toString();
}

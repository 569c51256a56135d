// One setting: its name, what it means, how its text is read and what it is without being set.
import type { ValueSchema } from './value-schemas.ts';

export type Profile = 'development' | 'production';

export interface Setting<T> {
  readonly env: string;
  readonly doc: string;
  readonly schema: ValueSchema<T>;
  /** Text that is read as if it had been given; null: the value is null unless it is set. */
  readonly fallback: Readonly<Record<Profile, string | null>>;
  /** `whole`: shown as `***`; `url`: only the password in it is hidden. Both take a `_FILE` variant. */
  readonly secrecy: 'open' | 'whole' | 'url';
  /** `set`: production must name it; `file`: production must name it by its `_FILE` variant. */
  readonly inProduction: 'optional' | 'set' | 'file';
}

type Options = Partial<Pick<Setting<unknown>, 'secrecy' | 'inProduction'>>;

/** A setting that always has a value; `fallback` may differ by profile. */
export function setting<T>(
  env: string,
  doc: string,
  schema: ValueSchema<T>,
  fallback: string | Readonly<Record<Profile, string>>,
  options: Options = {},
): Setting<T> {
  const byProfile = typeof fallback === 'string' ? { development: fallback, production: fallback } : fallback;
  return { env, doc, schema, fallback: byProfile, secrecy: 'open', inProduction: 'optional', ...options };
}

/** A setting that is null unless it is set. */
export function optionalSetting<T>(
  env: string,
  doc: string,
  schema: ValueSchema<T>,
  options: Options = {},
): Setting<T | null> {
  const fallback = { development: null, production: null };
  const nullable = schema as ValueSchema<T | null>;
  return { env, doc, schema: nullable, fallback, secrecy: 'open', inProduction: 'optional', ...options };
}

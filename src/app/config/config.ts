// The whole configuration as the code takes it: validated, in base units, read-only.
import type { ProviderSettings } from '../../providers/open-providers.ts';
import type { SettingValues } from './settings.ts';

export interface Config extends SettingValues {
  readonly providers: readonly ProviderSettings[];
  /** URLs of outbox databases by the name that tables use. */
  readonly relayDatabases: ReadonlyMap<string, string>;
}

// Channel configurations: one row a channel, read as a whole, saved one by one. A channel without a row is unconfigured.
import type { Backoff, Channel, ChannelConfig, OnUnknown } from '../domain/channel.ts';
import { flag, integer, type TextCell, text, textOrNull } from './cells.ts';
import { NOW_SQL } from './change-columns.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { Statement } from './statement.ts';
import type { NotificationStore } from './store.ts';

const COLUMNS = [
  ...[
    'channel',
    'is_enabled',
    'provider_key',
    'max_attempts',
    'backoff_kind',
    'backoff_base_ms',
    'backoff_cap_ms',
  ],
  ...['backoff_jitter', 'on_unknown', 'hold_until_ms', 'release_per_second'],
];

export function channelTable(
  pool: PostgresPool,
  schema: string,
): Pick<NotificationStore, 'channels' | 'saveChannel'> {
  const names = COLUMNS.join(', ');
  const overwritten = COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ');
  const list: Statement = {
    name: 'pin_channels',
    text: `select ${names} from ${schema}.channel_configs order by channel`,
  };
  const save: Statement = {
    name: 'pin_save_channel',
    text: `insert into ${schema}.channel_configs (${names}, changed_at)
values ($1, $2::bool, $3, $4::int4, $5, $6::float8, $7::float8, $8::float8, $9, $10::float8, $11::float8, ${NOW_SQL})
on conflict (channel) do update set ${overwritten}, changed_at = excluded.changed_at`,
  };
  return {
    async channels() {
      return (await pool.ask(list, [])).map(configOf);
    },
    async saveChannel(config) {
      const { kind, baseMs, capMs, jitter } = config.backoff;
      const { channel, isEnabled, providerKey, maxAttempts, onUnknown, holdUntilMs, releasePerSecond } =
        config;
      await pool.ask(save, [
        ...[channel, isEnabled, providerKey, maxAttempts, kind, baseMs, capMs, jitter],
        ...[onUnknown, holdUntilMs, releasePerSecond],
      ]);
    },
  };
}

function configOf(cells: readonly TextCell[]): ChannelConfig {
  const [channel, isEnabled, providerKey, maxAttempts, kind, baseMs, capMs, jitter, ...rest] = cells;
  const [onUnknown, holdUntilMs, releasePerSecond] = rest;
  return {
    channel: text(channel) as Channel,
    isEnabled: flag(isEnabled),
    providerKey: textOrNull(providerKey),
    maxAttempts: integer(maxAttempts),
    backoff: {
      kind: text(kind) as Backoff['kind'],
      baseMs: Number(baseMs),
      capMs: Number(capMs),
      jitter: Number(jitter),
    },
    onUnknown: text(onUnknown) as OnUnknown,
    holdUntilMs: Number(holdUntilMs),
    releasePerSecond: Number(releasePerSecond),
  };
}

// Follows the channels' configuration in the table: read at start, then every few seconds. A read that fails keeps what is known.
import type { Channel, ChannelConfig } from '../domain/channel.ts';
import type { NotificationStore } from '../state/store.ts';

export interface ChannelWatch {
  readonly channels: ReadonlyMap<Channel, ChannelConfig>;
  /** True when something changed. @throws Fault STATE_UNAVAILABLE (retriable) */
  refresh(): Promise<boolean>;
}

export function channelWatch(store: Pick<NotificationStore, 'channels'>): ChannelWatch {
  const channels = new Map<Channel, ChannelConfig>();
  let seen = '';
  return {
    channels,
    async refresh() {
      const configs = await store.channels();
      const now = JSON.stringify(configs);
      if (now === seen) return false;
      seen = now;
      channels.clear();
      for (const config of configs) channels.set(config.channel, config);
      return true;
    },
  };
}

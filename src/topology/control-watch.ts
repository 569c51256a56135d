// Follows what operators set (channels, pauses, gates) in the table: read at start, then every few seconds. A read that fails keeps what is
// known.
import { isDeepStrictEqual } from 'node:util';
import type { Channel, ChannelConfig } from '../domain/channel.ts';
import type { OperatorGate } from '../domain/operator-gate.ts';
import type { Pause, PauseKey } from '../domain/pause.ts';
import type { Controls, NotificationStore } from '../state/store.ts';
import type { OperatorGates } from './operator-gates.ts';

export interface ControlWatch {
  readonly channels: ReadonlyMap<Channel, ChannelConfig>;
  readonly pauses: ReadonlyMap<PauseKey, Pause>;
  /** By provider. */
  readonly gates: ReadonlyMap<string, OperatorGate>;
  /** Reads again, and lets `gates` follow. True when something changed. @throws Fault STATE_UNAVAILABLE (retriable) */
  refresh(gates: Pick<OperatorGates, 'follow'>): Promise<boolean>;
}

export function controlWatch(store: Pick<NotificationStore, 'controls'>): ControlWatch {
  const channels = new Map<Channel, ChannelConfig>();
  const pauses = new Map<PauseKey, Pause>();
  const gates = new Map<string, OperatorGate>();
  let seen: Controls | null = null;
  const takeOver = (controls: Controls): boolean => {
    if (isDeepStrictEqual(controls, seen)) return false;
    seen = controls;
    channels.clear();
    for (const config of controls.channels) channels.set(config.channel, config);
    pauses.clear();
    for (const pause of controls.pauses) pauses.set(pause.key, pause);
    gates.clear();
    for (const gate of controls.gates) gates.set(gate.providerKey, gate);
    return true;
  };
  return {
    channels,
    pauses,
    gates,
    async refresh(gatesAhead) {
      const controls = await store.controls();
      const isNews = takeOver(controls);
      // Also without news: the time of a closing ends.
      gatesAhead.follow();
      return isNews;
    },
  };
}

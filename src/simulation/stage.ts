// One schedule's stage: servers, tables, vendors, processes, and what the outside asked for. Workload files act on it, invariants read it.
import type { Channel, ChannelConfig } from '../domain/channel.ts';
import type { NotificationId } from '../domain/notification-id.ts';
import type { WebhookVerdict } from '../domain/provider-webhook.ts';
import type { NotificationRequest } from '../domain/request.ts';
import type { MemoryDatabase } from '../state/memory-database.ts';
import type { Codec } from '../streams/codec.ts';
import type { Topics } from '../streams/topics.ts';
import type { Fleet } from './fleet.ts';
import type { Ledger, LedgerMessage } from './ledger.ts';
import type { SimulatedBroker } from './log/simulated-log.ts';
import type { Vendor } from './vendor.ts';
import type { Witness } from './witness.ts';
import type { World } from './world.ts';

export interface Asked {
  readonly id: NotificationId;
  /** Every payload that was asked for under this id, in the order of the log; the first one counts. */
  readonly payloads: NotificationRequest[];
}

export interface Report {
  readonly message: LedgerMessage;
  readonly verdict: WebhookVerdict;
  readonly errorClass: 'refused' | null;
}

/** Configuration as it was in the table, from `sinceMs` on. */
export interface ConfigEra {
  readonly sinceMs: number;
  readonly config: ChannelConfig;
}

export interface Stage {
  readonly world: World;
  readonly broker: SimulatedBroker;
  readonly database: MemoryDatabase;
  readonly vendors: readonly Vendor[];
  readonly fleet: Fleet;
  readonly ledger: Ledger;
  readonly witness: Witness;
  readonly topics: Topics;
  readonly codec: Codec;
  readonly asked: Map<NotificationId, Asked>;
  /** Tenants of what will be asked for. */
  readonly drafts: Map<NotificationId, string | null>;
  /** When the push token of a request was registered last, by its id. */
  readonly registrations: Map<NotificationId, number>;
  /** Everything that vendors said of their messages, in order. */
  readonly reports: Report[];
  /** Ids that vendors reported on and nobody asked for. */
  readonly strangers: NotificationId[];
  /** Records on the requested topic that break the contract. */
  readonly poison: { count: number };
  /** Keys of records that were once left alone: an operator put them back, behind what had come after them. */
  readonly leftAlone: Set<string>;
  readonly eras: Map<Channel, ConfigEra[]>;
  /** How often a counter went up, over all processes. */
  readonly counted: ReadonlyMap<string, number>;
}

/** Puts `config` into the table, as `pin channel` does. */
export function configure(stage: Pick<Stage, 'world' | 'database' | 'eras'>, config: ChannelConfig): void {
  stage.database.channels.set(config.channel, config);
  const eras = stage.eras.get(config.channel) ?? [];
  eras.push({ sinceMs: stage.world.time.nowMs(), config });
  stage.eras.set(config.channel, eras);
}

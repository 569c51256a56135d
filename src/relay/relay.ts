// The relay: rows of other services' outbox tables become records on requested.v1, and the rows are told what became of them.
// It promises: every committed row of type NotificationRequested is relayed at least once, under an id and with a content that are the same
// each time; no row of another type is touched; a row that cannot be a request is failed with its reason and holds up nobody; the source
// says Sent or Failed only when the notification is final. It never sends anything itself and holds no transaction while it waits.
import type { Log, LogProducer } from '../broker/log.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { pause, type Timers } from '../runtime/timers.ts';
import type { Codec } from '../streams/codec.ts';
import type { Topics } from '../streams/topics.ts';
import { listenToSource } from './announcements.ts';
import { startRelayGauges } from './gauges.ts';
import type { Outbox } from './outbox.ts';
import { startOutcomeReader } from './outcome-reader.ts';
import type { RelayProgress } from './progress.ts';
import { type PumpSettings, startSourcePump } from './source-pump.ts';
import { startStamper } from './stamper.ts';
import { type SteadyDeps, untilSteady } from './steady-loop.ts';
import { keepUp } from './upkeep.ts';

export interface RelayDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly codec: Codec;
  readonly topics: Topics;
  readonly progress: RelayProgress;
  readonly sources: readonly OpenableSource[];
  /** A part of the relay broke: the process should end. */
  readonly onBroken: (error: unknown) => void;
}

export interface OpenableSource {
  readonly key: string;
  /** For listening. */
  readonly databaseUrl: string;
  /** Asked again until it succeeds. @throws Fault STATE_UNAVAILABLE (retriable), START_UNSAFE */
  open(): Promise<Outbox>;
}

export interface RelaySettings extends PumpSettings {
  readonly processId: string;
  readonly upkeepPeriodMs: number;
  readonly retentionMs: number;
  readonly stopLimitMs: number;
}

export interface Relay {
  /** What cannot go on now and why, in words; empty when all is well. */
  troubles(): readonly string[];
  /** Finishes the batches in flight, as far as the servers let it within the limit. */
  stop(): Promise<void>;
}

/** @throws Fault LOG_UNAVAILABLE (retriable) */
export async function startRelay(deps: RelayDeps, settings: RelaySettings): Promise<Relay> {
  const stopping = new AbortController();
  const producer = await deps.log.producer();
  const troubled = new Map<string, string>();
  const steady: SteadyDeps = { ...deps, stopping: stopping.signal, troubled };
  const lines = new Map<string, Line>();
  const workOn = async (source: OpenableSource) => {
    const outbox = await untilSteady(steady, source.key, () => source.open());
    if (outbox === null) return;
    const line = startLine({ ...deps, ...steady, producer }, outbox, source.databaseUrl, settings);
    lines.set(source.key, line);
    await line.ended;
    await outbox.close();
  };
  const working = deps.sources.map((source) => workOn(source).catch(deps.onBroken));
  const onSettled = (sources: readonly string[]) => {
    for (const source of sources) lines.get(source)?.tell();
  };
  const reader = await startOutcomeReader({ ...deps, ...steady, onSettled }, settings.processId).catch(
    async (error: unknown) => {
      stopping.abort();
      await producer.close();
      throw error;
    },
  );
  const opened = () => [...lines.values()].map(({ outbox }) => outbox);
  const upkeep = keepUp(
    { ...deps, ...steady, onSettled, opened },
    { periodMs: settings.upkeepPeriodMs, retentionMs: settings.retentionMs },
  );
  const gauges = startRelayGauges({ ...deps, ...steady, opened });
  return {
    troubles: () => [...troubled].map(([part, why]) => `${part}: ${why}`),
    async stop() {
      stopping.abort();
      const ended = Promise.all([...working, upkeep, gauges, reader.stop()]);
      await Promise.race([ended, pause(deps.timers, settings.stopLimitMs)]);
      await producer.close();
      await Promise.race([ended, pause(deps.timers, settings.stopLimitMs)]);
    },
  };
}

interface Line {
  readonly outbox: Outbox;
  tell(): void;
  readonly ended: Promise<unknown>;
}

/** All that works on one source. */
function startLine(
  deps: RelayDeps & SteadyDeps & { readonly producer: LogProducer },
  outbox: Outbox,
  databaseUrl: string,
  settings: RelaySettings,
): Line {
  const pump = startSourcePump(deps, outbox, settings);
  const stamper = startStamper(deps, outbox);
  const listening = outbox.isAnnounced
    ? listenToSource(deps, databaseUrl, outbox.source, pump.announce)
    : Promise.resolve();
  return {
    outbox,
    tell: stamper.wake,
    ended: Promise.all([pump.ended, stamper.ended, listening]),
  };
}

// Tells the table every few seconds how this process sees its providers' gates, for `pin gate list`. What could not be told is told later;
// a process that is silent for long is forgotten by the table.
import { messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { type Cancel, every, type Timers } from '../runtime/timers.ts';
import type { NotificationStore } from '../state/store.ts';
import type { Processor } from '../topology/processor.ts';

const PERIOD_MS = 5_000;

export interface GateSays {
  readonly timers: Timers;
  readonly logger: Logger;
  readonly store: Pick<NotificationStore, 'sayGates'>;
  readonly processor: Pick<Processor, 'gates'>;
}

export function startSayingGates({ timers, logger, store, processor }: GateSays, processId: string): Cancel {
  const say = () => store.sayGates(processId, processor.gates());
  const report = (error: unknown) => logger.debug('gates.unsaid', { detail: messageOf(error) });
  void say().catch(report);
  return every(timers, PERIOD_MS, say, report);
}

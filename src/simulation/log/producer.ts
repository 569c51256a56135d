// A producer of the simulated log: one batch on its way at a time, in the order of `send`. The dice may lose an acknowledgement, write a
// batch twice, fail it, or report it failed and write it later.
import type { Acknowledged, LogProducer, OutgoingRecord } from '../../broker/log.ts';
import { Fault, isFault } from '../../runtime/fault.ts';
import { soon } from '../../runtime/microtasks.ts';
import type { Incarnation } from '../incarnation.ts';
import { answer, send, type World } from '../world.ts';
import type { Partitions } from './partitions.ts';

interface Waiting {
  readonly record: OutgoingRecord;
  readonly resolve: (at: Acknowledged) => void;
  readonly reject: (error: unknown) => void;
}

/** By the choice of die `produce`. */
const FATES = ['stored', 'lost-ack', 'doubled', 'failed', 'late'] as const;
const LATE_MS = 4_000;

export interface ProducerParts {
  readonly world: World;
  readonly process: Incarnation;
  readonly partitions: Partitions;
  /** What a topic is called in the story and in the counts. */
  readonly nameOf: (topic: string) => string;
}

export function simulatedProducer(parts: ProducerParts): LogProducer {
  const { world, process } = parts;
  let waiting: Waiting[] = [];
  let isSending = false;
  let isClosed = false;

  const next = () => {
    const batch = waiting;
    waiting = [];
    isSending = batch.length > 0;
    const [first] = batch;
    if (first === undefined) return;
    const at = `produce to ${parts.nameOf(first.record.topic)}`;
    send(world, process, at, true, () => {
      const fate = FATES[world.dice.roll('produce', at, true)] ?? 'stored';
      const acknowledged = batch.map(({ record }) => store(parts, record, fate));
      answer(world, process, at, true, () => {
        for (const [index, one] of batch.entries()) settle(one, acknowledged[index], fate);
        next();
      });
    });
  };
  return {
    send(record) {
      if (isClosed)
        return Promise.reject(new Fault('LOG_CLOSED', 'the producer was closed', { retriable: false }));
      return new Promise((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        if (isSending) return;
        isSending = true;
        // What is produced in the same turn leaves together.
        soon(next);
      });
    },
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}

type Fate = (typeof FATES)[number];

function store({ world, partitions, nameOf }: ProducerParts, record: OutgoingRecord, fate: Fate) {
  if (fate !== 'stored') world.tell('broker', () => `a record for ${nameOf(record.topic)} is ${fate}`);
  try {
    if (fate === 'failed') return null;
    if (fate === 'late') {
      world.time.after(LATE_MS, () => void partitions.append(record));
      return null;
    }
    if (fate === 'doubled') partitions.append(record);
    return partitions.append(record);
  } catch (error) {
    return isFault(error) ? error : null;
  }
}

function settle({ resolve, reject }: Waiting, at: Acknowledged | Fault | null | undefined, fate: Fate): void {
  if (isFault(at)) reject(at);
  else if (at != null && fate !== 'lost-ack') resolve(at);
  else reject(new Fault('LOG_UNAVAILABLE', `the acknowledgement did not come: ${fate}`, { retriable: true }));
}

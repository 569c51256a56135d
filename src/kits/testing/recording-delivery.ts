// A delivery that answers from a script, then from a fallback, and keeps what it was handed, redeliveries included.
import {
  type DeliveryAnswer,
  delivered,
  type NotificationDelivery,
  type PendingNotification,
} from '../../providers/delivery/notification-delivery.ts';
import { type Cause, currentCause } from '../../runtime/cause.ts';

export interface RecordingDelivery extends NotificationDelivery {
  /** Everything that was handed over, in order; a redelivery is there again. */
  received(): readonly PendingNotification[];
  /** What was handed over again: the same id in the same cycle. */
  redelivered(): readonly PendingNotification[];
  /** How often it was called. */
  calls(): number;
  /** The cause that was in place at each call. */
  causes(): readonly (Cause | null)[];
  /** What it answers once the script is used up; `delivered()` otherwise. */
  always(answer: DeliveryAnswer): RecordingDelivery;
  /** The consumer that it belongs to; `notification-delivery` otherwise. */
  named(consumer: string): RecordingDelivery;
}

interface Plan {
  readonly script: readonly DeliveryAnswer[];
  readonly fallback: DeliveryAnswer;
  readonly consumer: string;
}

const DEFAULT_CONSUMER = 'notification-delivery';

/** `script`: one answer a call. */
export function recordingDelivery(...script: readonly DeliveryAnswer[]): RecordingDelivery {
  return recording({ script, fallback: delivered(), consumer: DEFAULT_CONSUMER });
}

function recording(plan: Plan): RecordingDelivery {
  const received: PendingNotification[] = [];
  const causes: (Cause | null)[] = [];
  const sameMessage = (left: PendingNotification, right: PendingNotification) =>
    left.id === right.id && left.cycle === right.cycle;
  return {
    consumer: plan.consumer,
    deliver(pending) {
      received.push(pending);
      causes.push(currentCause());
      return Promise.resolve(plan.script[received.length - 1] ?? plan.fallback);
    },
    received: () => received,
    redelivered: () =>
      received.filter((pending, at) =>
        received.slice(0, at).some((earlier) => sameMessage(earlier, pending)),
      ),
    calls: () => received.length,
    causes: () => causes,
    always: (fallback) => recording({ ...plan, fallback }),
    named: (consumer) => recording({ ...plan, consumer }),
  };
}

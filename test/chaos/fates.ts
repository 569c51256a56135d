// What is told about each notification of the run beside its request, and what must have become of it: both follow from its id alone.
import { fractionOf } from '../../src/lab/vendor-plan.ts';

export type Fate =
  /** Nothing is told. */
  | 'plain'
  /** Reports of delivery, up to six times, some before the answer to the call. */
  | 'delivered'
  /** The first message comes back: the vendor says so up to three times, and late once more. */
  | 'bounced'
  /** Delivered, read, complained and unsubscribed in any order, twice. */
  | 'shuffled'
  /** A person reads it, with one command told twice. */
  | 'read'
  /** A person cancels it while the request is on its way: whichever comes first wins. What was sent all the same is reported delivered. */
  | 'cancelled';

const SHARES: Readonly<Record<Exclude<Fate, 'plain'>, number>> = {
  delivered: 0.15,
  bounced: 0.08,
  shuffled: 0.07,
  read: 0.05,
  cancelled: 0.03,
};

export function fateOf(id: string): Fate {
  let left = fractionOf(`${id}/fate`);
  for (const [fate, share] of Object.entries(SHARES)) {
    left -= share;
    if (left < 0) return fate as Fate;
  }
  return 'plain';
}

/** One way in which a notification may have ended. */
export interface Ending {
  /** By cycle, of the vendor's ledger. */
  readonly messages: number;
  readonly status: 'Sent' | 'Failed';
  readonly reasons: readonly string[];
  readonly outcomes: readonly number[];
}

const SENT: Ending = { messages: 1, status: 'Sent', reasons: ['accepted', 'delivered'], outcomes: [1] };
const CANCELLED: Ending = { messages: 0, status: 'Failed', reasons: ['cancelled'], outcomes: [1] };

/** A message that came back was told of before the first outcome or after it. */
export function endingsOf(fate: Fate): readonly Ending[] {
  switch (fate) {
    case 'bounced':
      return [{ ...SENT, messages: 2, outcomes: [1, 2] }];
    case 'cancelled':
      // Cancelled while nobody knew whether the call was accepted, it is Sent again as soon as the vendor says that it arrived.
      return [{ ...SENT, outcomes: [1, 2] }, CANCELLED];
    default:
      return [SENT];
  }
}

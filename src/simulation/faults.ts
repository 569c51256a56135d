// What can go wrong: each die names its faults.

/** The faults of each die, in the order of its choices from 1. */
export const DICE = {
  /** Of a process, at each of its questions and answers. */
  process: ['crash', 'blink', 'freeze-past-session', 'freeze-past-hold'],
  /** Of a question or an answer on its way. */
  delay: ['3ms', '40ms', '400ms', '3s', '9s'],
  store: ['fail', 'lose-answer', 'conflict'],
  produce: ['lost-ack', 'doubled', 'failed', 'late'],
  commit: ['fenced', 'unavailable', 'lost-ack'],
  assignment: ['reset-committed', 'out-of-range'],
  call: [
    'transient',
    'refused',
    'blocked',
    'rate-limited',
    'rate-limited-all',
    'misconfigured',
    'accepted-answer-cut',
    'not-accepted-answer-cut',
    'accepted-too-late',
    'hangs',
    'slow',
    'unclassified',
  ],
  connect: ['slow', 'past-deadline', 'refused'],
  lookUp: ['unavailable', 'slow'],
  report: [
    'delivered',
    'bounced',
    'refused',
    'bounced-then-delivered',
    'delivered-then-bounced',
    'delivered-then-refused',
    'complained',
    'unsubscribed-and-read',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Die = keyof typeof DICE;

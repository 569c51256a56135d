// What a set of schedules must have come to before its silence means anything: every fault of every die, every trouble of whole processes
// and servers, every change of configuration, each in the states that matter.
import { DICE, type Die } from './faults.ts';
import { LEFT_ALONE } from './invariants/deaths.ts';
import { ASKED } from './poison.ts';
import { ORDER_MARKS } from './workload/orders.ts';
import { DEATHS_COUNT, TROUBLE_NAMES } from './workload/troubles.ts';

/** Fewer schedules than this may miss something by chance. */
export const ENOUGH_SCHEDULES = 10_000;

/** Deaths and freezes around what is durable. */
const WHERE_PROCESSES_END = [
  'before flush of new',
  'before flush of claimed',
  'after flush of claimed',
  'after flush of owing',
  'before produce to dispatched',
  'after produce to dispatched',
  'before produce to retry',
  'before commit',
];
const CRASH = DICE.process[0];
const CALL_ANSWERS = ['alpha', 'beta', 'gamma'].map((provider) => `after call ${provider}`);

/** What was never reached, in words; none when all was. */
export function unreached(counts: ReadonlyMap<string, number>): readonly string[] {
  const seen = [...counts.keys()];
  const faults = (Object.keys(DICE) as Die[]).flatMap((die) =>
    DICE[die].map((fault) => `${die} ${fault} @ `),
  );
  const missing = faults.filter((start) => !seen.some((what) => what.startsWith(start)));
  const exact = [
    ...[...WHERE_PROCESSES_END, ...CALL_ANSWERS].map((where) => `process ${CRASH} @ ${where}`),
    ...[ASKED, DEATHS_COUNT, LEFT_ALONE],
    ...TROUBLE_NAMES.map((name) => `trouble ${name}`),
    ...ORDER_MARKS,
  ];
  return [...missing, ...exact.filter((what) => !counts.has(what))];
}

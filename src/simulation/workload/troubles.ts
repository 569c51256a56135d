// What happens to whole processes and servers, at times that the tape names.
import type { Stage } from '../stage.ts';
import { changeChannel } from './channels.ts';
import { orderGate, orderPause } from './orders.ts';

type Trouble = (stage: Stage, slot: number) => void;

const TROUBLES: Readonly<Record<string, Trouble>> = {
  'change-channel': (stage) => changeChannel(stage),
  crash: ({ fleet }, slot) => fleet.memberIn(slot)?.process.kill(),
  freeze: ({ fleet, world }, slot) => {
    const process = fleet.memberIn(slot)?.process;
    if (process === undefined) return;
    world.tell(process.name, () => 'freezes for 18 s');
    process.freeze(18_000);
  },
  stop: ({ fleet }, slot) => fleet.stop(slot),
  join: ({ fleet }, slot) => fleet.start(slot, 0),
  rebalance: ({ broker }) => broker.group.rebalance(),
  expel({ fleet, broker }, slot) {
    const process = fleet.memberIn(slot)?.process;
    if (process !== undefined) broker.group.expel(process);
  },
  'store-away': ({ fleet, world }) => {
    world.tell('store', () => 'is away for 6 s');
    fleet.conditions.awayUntilMs = world.time.nowMs() + 6_000;
  },
  'order-pause': (stage) => orderPause(stage),
  'order-gate': (stage) => orderGate(stage),
};
export const TROUBLE_NAMES = Object.keys(TROUBLES);

/** Chances of 1 to 6 of them: most schedules are small, so that there are many. */
const TROUBLES_CHANCES = [0.22, 0.16, 0.08, 0.03, 0.02, 0.01];
const WITHIN_MS = 25_000;
const MOMENTS = 50;

/** Returns how many. */
export function bringTroubles(stage: Stage): number {
  const { tape, time, tell, reach } = stage.world;
  const count = tape.roll(TROUBLES_CHANCES);
  for (let n = 0; n < count; n += 1) {
    const name = TROUBLE_NAMES[tape.pick(TROUBLE_NAMES.length)] ?? 'rebalance';
    const slot = tape.pick(3);
    time.plan((WITHIN_MS * tape.pick(MOMENTS)) / MOMENTS, () => {
      reach.count(`trouble ${name}`);
      tell('fate', () => `brings ${name} for p${slot + 1}`);
      TROUBLES[name]?.(stage, slot);
    });
  }
  return count;
}

/** A life that lasts this long forgives those before it. */
const CAUTION_MS = 15_000;
/** What the count of what was reached says of processes whose deaths count. */
export const DEATHS_COUNT = 'deaths count';

/** Chances of one more and of two more than one, then of one, two and three that count how their lives end. */
const PROCESSES_CHANCES = [0.28, 0.08, 0.08, 0.05, 0.03];
const MAX_PROCESSES = 3;
const SKEWS_MS = [0, 0, 300_000, -300_000];

export function startProcesses({ world: { tape, reach }, fleet }: Stage): void {
  const choice = tape.roll(PROCESSES_CHANCES);
  const processes = 1 + (choice % MAX_PROCESSES);
  if (choice >= MAX_PROCESSES) {
    reach.count(DEATHS_COUNT);
    fleet.conditions.cautionMs = CAUTION_MS;
  }
  for (let slot = 0; slot < processes; slot += 1)
    fleet.start(slot, SKEWS_MS[tape.pick(SKEWS_MS.length)] ?? 0);
}

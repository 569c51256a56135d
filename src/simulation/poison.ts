// L4: a record that nobody can read delays nobody. Asked of a group at rest, where nothing else could be the reason.
import { comeToRest } from './rest.ts';
import type { Stage } from './stage.ts';
import { askBehindNonsense } from './workload/requests.ts';

/** Every so many schedules ask for it. */
const ASKED_ONE_IN = 4;
const WITHIN_MS = 1_000;
/** Longer than any answer is late, and than the store stays away. */
const SETTLED_MS = 12_000;
/** What the count of what was reached says then. */
export const ASKED = 'asked behind nonsense';
/** A number that no other request has. */
const BEHIND = 7;

export async function poisonDelaysNobody(stage: Stage, isOver: () => boolean): Promise<void> {
  const { world, database } = stage;
  if (world.time.nowMs() % ASKED_ONE_IN !== 1) return;
  // What was slow when the faults ended is over by then.
  await world.time.run(world.time.nowMs() + SETTLED_MS, isOver);
  const before = groupNow(stage);
  if (before === null) return;
  world.reach.count(ASKED);
  const id = askBehindNonsense(stage, BEHIND);
  await world.time.run(world.time.nowMs() + WITHIN_MS, isOver);
  const hasRow = database.rows.has(id);
  // Who restarts meanwhile stops the reading of all.
  if (!hasRow && groupNow(stage) === before)
    world.violate('L4 poison delays nobody', `${id} has no row after ${WITHIN_MS} ms`);
  if (!isOver()) await comeToRest(stage, isOver);
}

/** Who reads, by name; null while somebody comes, goes or stands still. */
function groupNow({ fleet, broker }: Stage): string | null {
  const members = fleet.living();
  if (!broker.group.isStable()) return null;
  if (members.some(({ process, processor }) => process.state() !== 'running' || processor === null))
    return null;
  return members.map(({ process }) => process.name).join();
}

// Who is left alone: only a key whose processes died three times in a row, the last two times while it was there. (Of the first death the
// product knows only when somebody took over: what came in between may have been in flight.) Deaths are seen from the outside: a process
// died, fell silent, or gave a task back and its goodbye was lost.
import { DEADLY_RECORD } from '../../domain/deaths.ts';
import { laneKeyOf } from '../../topology/record-turn.ts';
import type { Stage } from '../stage.ts';

/** By the specification, whatever the product's own constant says. */
const DEATHS_IN_A_ROW = 3;
const DEATHS_OF_ITS_OWN = 2;
/** What the count of what was reached says then. */
export const LEFT_ALONE = 'left alone after three deaths';

export function deathInvariants(stage: Stage): void {
  const { database, world } = stage;
  const put = database.quarantine.set.bind(database.quarantine);
  database.quarantine.set = (origin, entry) => {
    const { reason, topic, partition, offset, key } = entry;
    if (reason === DEADLY_RECORD && topic !== null && partition !== null && offset !== null) {
      const lane = laneKeyOf({ topic, partition, offset: Number(offset), key });
      world.reach.count(LEFT_ALONE);
      stage.leftAlone.add(lane);
      judge(stage, lane, origin);
    }
    return put(origin, entry);
  };
}

function judge(stage: Stage, lane: string, origin: string): void {
  const deaths = stage.witness.silencesMs();
  const sinceMs = cameAtMs(stage, lane);
  const itsDeaths = deaths.filter((atMs) => atMs >= sinceMs).length;
  if (deaths.length >= DEATHS_IN_A_ROW && itsDeaths >= DEATHS_OF_ITS_OWN) return;
  stage.world.violate(
    'nobody is left alone without three deaths',
    `${origin}: ${deaths.length} deaths, ${itsDeaths} of them since it came`,
  );
}

/** When the first record of this lane came to the log. */
function cameAtMs({ broker, topics }: Stage, lane: string): number {
  const records = topics.inputs.flatMap((topic) => broker.partitions.all(topic));
  const own = records.filter((record) => laneKeyOf(record) === lane);
  return Math.min(...own.map(({ timestampMs }) => timestampMs));
}

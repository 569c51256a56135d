// The runs, one contender after the other in each, so that a busy minute of the machine meets all of them.
import { runEcho } from './echo.mjs';
import { runFloor } from './floor.mjs';
import { oursBacklog, oursPaced } from './ours.mjs';
import { openServers } from './servers.mjs';
import { startVendor } from './vendor.mjs';

const say = (line) => process.stderr.write(`${line}\n`);
const WARM_UP_SECONDS = 4;

export async function compare(options) {
  const servers = await openServers(say);
  const vendor = await startVendor();
  const bench = { servers, vendor, options };
  try {
    for (let run = 1; run <= options.runs; run += 1) {
      for (const [name, play] of stepsOf(options))
        say(`run ${run}, ${name}: ${JSON.stringify(await play(bench))}`);
    }
    return true;
  } finally {
    vendor.close();
    await servers.stop();
  }
}

function stepsOf({ only, parts, count, calls, slow, perSecond, seconds }) {
  const backlog = { count, latencyMs: 0, calls };
  const pace = { count: perSecond * seconds, warmUp: perSecond * WARM_UP_SECONDS, perSecond, calls };
  const steps = [
    ['ours/backlog', (bench) => oursBacklog(bench, backlog)],
    ['floor/backlog', (bench) => runFloor(bench, { ...backlog, perSecond: null })],
    ['echo/paced', (bench) => runEcho(bench, pace)],
    ['ours/paced', (bench) => oursPaced(bench, pace)],
    ['floor/paced', (bench) => runFloor(bench, { ...pace, latencyMs: 0 })],
    ['ours/slow', (bench) => oursBacklog(bench, slow)],
    ['floor/slow', (bench) => runFloor(bench, { ...slow, perSecond: null })],
  ];
  return steps.filter(([name]) => {
    const [contender, part] = name.split('/');
    return only.includes(contender) && parts.includes(part);
  });
}

// The runs: in each, one contender after the other, so that a busy minute of the machine meets all of them.
import { runEcho } from './echo.mjs';
import { runFloor } from './floor.mjs';
import { machine } from './machine.mjs';
import { oursBacklog, oursPaced } from './ours.mjs';
import { saveResults } from './results.mjs';
import { openServers } from './servers.mjs';
import { tableOf } from './table.mjs';
import { startVendor } from './vendor.mjs';
import { violationsOf } from './verdict.mjs';

const say = (line) => process.stderr.write(`${line}\n`);
const WARM_UP_SECONDS = 15;

/** False when something was lost, sent twice or sent too early. */
export async function compare(options) {
  const servers = await openServers(say);
  const vendor = await startVendor();
  const results = {};
  try {
    say(await machine(servers));
    for (let run = 1; run <= options.runs; run += 1) {
      for (const [name, play] of stepsOf(options)) {
        const result = await play({ servers, vendor, options });
        results[name] = [...(results[name] ?? []), result];
        say(`run ${run}, ${name}: ${JSON.stringify(result)}`);
      }
    }
    say(await machine(servers));
  } finally {
    vendor.close();
    await servers.stop();
  }
  process.stdout.write(`${tableOf(results, options)}\n`);
  if (options.name !== null) saveResults(options.name, { options, results });
  const violations = violationsOf(results);
  for (const violation of violations) say(violation);
  return violations.length === 0;
}

/** Named contender/part; slow parts say how many calls run at once. */
function stepsOf({ only, parts, count, warmUp, calls, slow, perSecond, seconds }) {
  const backlog = { count, warmUp, latencyMs: 0, calls };
  const pace = { count: perSecond * seconds, warmUp: perSecond * WARM_UP_SECONDS, perSecond, calls };
  const steps = [
    ['ours/backlog', (bench) => oursBacklog(bench, backlog)],
    ['floor/backlog', (bench) => runFloor(bench, { ...backlog, perSecond: null })],
    ['echo/paced', (bench) => runEcho(bench, pace)],
    ['ours/paced', (bench) => oursPaced(bench, pace)],
    ['floor/paced', (bench) => runFloor(bench, { ...pace, latencyMs: 0 })],
    ...slow.flatMap((work) => [
      [`ours/slow-${work.calls}`, (bench) => oursBacklog(bench, { ...work, warmUp })],
      [`floor/slow-${work.calls}`, (bench) => runFloor(bench, { ...work, warmUp, perSecond: null })],
    ]),
  ];
  return steps.filter(([name]) => {
    const [contender, part] = name.split(/[/-]/);
    return only.includes(contender) && parts.includes(part);
  });
}

// `node bench/profile.mjs FOLDER`: where the CPU time of the profiles in it went, by room or package, and by function. Markdown.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FUNCTIONS = 25;
const LEAST_SHARE = 0.005;
const IDLE = new Set(['(idle)', '(root)']);
const ENGINE = new Set(['(garbage collector)', '(program)']);

const [folder = '.'] = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
const times = selfTimes(files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))));
const busyMicros = times.reduce((sum, { micros }) => sum + micros, 0);

console.log(`${(busyMicros / 1e6).toFixed(1)} s busy in ${files.length} profiles\n`);
print(
  'where',
  sumBy(times, ({ place }) => place),
);
print('function', sumBy(times, ({ frame }) => nameOf(frame)).slice(0, FUNCTIONS));

/** Self time of every frame, without idling. What Node itself does is its caller's. */
function selfTimes(profiles) {
  return profiles.flatMap(({ nodes, samples, timeDeltas }) => {
    const micros = new Map();
    for (const [at, id] of samples.entries()) micros.set(id, (micros.get(id) ?? 0) + timeDeltas[at]);
    const places = placesOf(nodes);
    return nodes
      .filter(({ callFrame }) => !IDLE.has(callFrame.functionName))
      .map(({ id, callFrame }) => ({ frame: callFrame, place: places.get(id), micros: micros.get(id) ?? 0 }));
  });
}

/** Parents come before their children in a profile. */
function placesOf(nodes) {
  const places = new Map();
  for (const { id, callFrame, children = [] } of nodes) {
    const place = placeOf(callFrame) ?? places.get(id) ?? 'node';
    for (const child of [id, ...children]) places.set(child, place);
  }
  return places;
}

/** A room of ours, a package, or what the engine does by itself; null for what is part of Node. */
function placeOf({ functionName, url }) {
  if (ENGINE.has(functionName)) return functionName;
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  const [, room] = /\/dist\/([^/]+)\//.exec(url) ?? [];
  return name ?? (room === undefined ? null : `src/${room}`);
}

function nameOf({ functionName, url, lineNumber }) {
  const file = url.replace(/^.*\/(?:dist|node_modules)\//, '').replace(/^node:/, 'node/');
  return `${functionName || '(anonymous)'} ${file === '' ? '' : `${file}:${lineNumber + 1}`}`.trim();
}

function sumBy(entries, keyOf) {
  const sums = new Map();
  for (const entry of entries) sums.set(keyOf(entry), (sums.get(keyOf(entry)) ?? 0) + entry.micros);
  return [...sums].sort(([, a], [, b]) => b - a);
}

function print(title, rows) {
  console.log(`| ${title} | share |\n| --- | --- |`);
  for (const [name, micros] of rows) {
    const share = micros / busyMicros;
    if (share >= LEAST_SHARE) console.log(`| ${name} | ${(share * 100).toFixed(1)} % |`);
  }
  console.log('');
}

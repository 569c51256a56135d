// What the command line says.
import { parseArgs } from 'node:util';

const CONTENDERS = ['ours', 'floor', 'echo'];
const PARTS = ['backlog', 'paced', 'slow'];
const MAX_SLOW_COUNT = 40_000;

const FLAGS = {
  only: { type: 'string', default: CONTENDERS.join(',') },
  parts: { type: 'string', default: PARTS.join(',') },
  runs: { type: 'string', default: '3' },
  count: { type: 'string', default: '20000' },
  'warm-up': { type: 'string', default: '10000' },
  calls: { type: 'string', default: '128' },
  'slow-calls': { type: 'string', default: '64,512' },
  'slow-seconds': { type: 'string', default: '10' },
  'slow-latency': { type: 'string', default: '50' },
  name: { type: 'string' },
  rate: { type: 'string', default: '500' },
  seconds: { type: 'string', default: '20' },
  partitions: { type: 'string', default: '12' },
  'cpu-prof': { type: 'string' },
  build: { type: 'boolean', default: true },
};

function chosen(text, known) {
  const names = text.split(',');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new RangeError(`${unknown} is none of ${known.join(', ')}`);
  return names;
}

/** @throws RangeError for a value that cannot be; TypeError for an unknown flag */
export function readOptions(args) {
  const { values } = parseArgs({ args, options: FLAGS, allowNegative: true });
  const number = (flag) => positive(flag, values[flag]);
  const latencyMs = number('slow-latency');
  return {
    only: chosen(values.only, CONTENDERS),
    parts: chosen(values.parts, PARTS),
    runs: number('runs'),
    count: number('count'),
    warmUp: number('warm-up'),
    calls: number('calls'),
    slow: values['slow-calls'].split(',').map((text) => {
      const calls = positive('slow-calls', text);
      return { calls, latencyMs, count: perfectCount(calls, latencyMs, number('slow-seconds')) };
    }),
    perSecond: number('rate'),
    seconds: number('seconds'),
    partitions: number('partitions'),
    failOnceShare: 0.1,
    name: values.name ?? null,
    profileFolder: values['cpu-prof'] ?? null,
    build: values.build,
  };
}

function positive(flag, text) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new RangeError(`--${flag}: ${text} is no whole number above 0`);
  return number;
}

/** What a perfect sender gets through in that many seconds, and no more than takes a real one half a minute. */
function perfectCount(calls, latencyMs, seconds) {
  return Math.min(MAX_SLOW_COUNT, Math.round((calls / latencyMs) * 1_000 * seconds));
}

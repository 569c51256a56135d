// What the command line says.
import { parseArgs } from 'node:util';

const CONTENDERS = ['ours', 'floor', 'echo'];
const PARTS = ['backlog', 'paced', 'slow'];

const FLAGS = {
  only: { type: 'string', default: CONTENDERS.join(',') },
  parts: { type: 'string', default: PARTS.join(',') },
  runs: { type: 'string', default: '3' },
  count: { type: 'string', default: '20000' },
  calls: { type: 'string', default: '128' },
  'slow-count': { type: 'string', default: '40000' },
  'slow-calls': { type: 'string', default: '512' },
  'slow-latency': { type: 'string', default: '50' },
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

/** @throws RangeError for a contender that there is not; TypeError for an unknown flag */
export function readOptions(args) {
  const { values } = parseArgs({ args, options: FLAGS, allowNegative: true });
  return {
    only: chosen(values.only, CONTENDERS),
    parts: chosen(values.parts, PARTS),
    runs: Number(values.runs),
    count: Number(values.count),
    calls: Number(values.calls),
    slow: {
      count: Number(values['slow-count']),
      calls: Number(values['slow-calls']),
      latencyMs: Number(values['slow-latency']),
    },
    perSecond: Number(values.rate),
    seconds: Number(values.seconds),
    partitions: Number(values.partitions),
    failOnceShare: 0.1,
    profileFolder: values['cpu-prof'] ?? null,
    build: values.build,
  };
}

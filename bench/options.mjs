// What the command line says.
import { parseArgs } from 'node:util';

const CONTENDERS = ['ours', 'floor', 'echo'];

const FLAGS = {
  only: { type: 'string', default: CONTENDERS.join(',') },
  runs: { type: 'string', default: '3' },
  count: { type: 'string', default: '20000' },
  calls: { type: 'string', default: '128' },
  partitions: { type: 'string', default: '12' },
  'cpu-prof': { type: 'string' },
  build: { type: 'boolean', default: true },
};

/** @throws RangeError for a contender that there is not; TypeError for an unknown flag */
export function readOptions(args) {
  const { values } = parseArgs({ args, options: FLAGS, allowNegative: true });
  const only = values.only.split(',');
  const unknown = only.find((name) => !CONTENDERS.includes(name));
  if (unknown !== undefined) throw new RangeError(`no contender is called ${unknown}`);
  return {
    only,
    runs: Number(values.runs),
    count: Number(values.count),
    calls: Number(values.calls),
    partitions: Number(values.partitions),
    failOnceShare: 0.1,
    profileFolder: values['cpu-prof'] ?? null,
    build: values.build,
  };
}

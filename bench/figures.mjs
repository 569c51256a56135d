// Figures of all runs: medians over the runs; ratios are taken within each run, before their median.
import { median } from './quantiles.mjs';

/** `results`: the runs by step. Everything is null where there are no figures. */
export function figuresOf(results) {
  const all = (step, read) => (results[step] ?? []).map(read);
  const middle = (numbers) => median(numbers.filter((number) => Number.isFinite(number)));
  return {
    of: (step, read) => middle(all(step, read)),
    ratio: (step, base, read) => {
      const bases = all(base, read);
      return middle(all(step, read).map((number, run) => number / bases[run]));
    },
    /** Over all runs. */
    sum: (step, read) => (results[step] === undefined ? null : all(step, read).reduce((a, b) => a + b, 0)),
  };
}

// How many examples a property is tried with. Mutation testing asks for a part of them: there the same properties run thousands of times.

const share = Number(process.env['PROPERTY_RUNS_SHARE'] ?? 1);
const FEWEST = 10;

export function runs(usual: number): number {
  return Math.max(Math.min(FEWEST, usual), Math.round(usual * share));
}

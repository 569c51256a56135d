// Counts what a set of schedules came to: which fault met which state. A fault that never happened proves nothing.

export interface Reach {
  count(what: string): void;
  counts(): ReadonlyMap<string, number>;
}

export function reachCounter(): Reach {
  const seen = new Map<string, number>();
  return {
    count: (what) => void seen.set(what, (seen.get(what) ?? 0) + 1),
    counts: () => seen,
  };
}

// "Did you mean …": the closest known name, when one is close enough to be a slip of the pen.

const MAX_EDITS = 3;

/** The known name with the fewest edits from `name` (at most three, and fewer than a third of it); null when none is near. */
export function nearMiss(name: string, known: readonly string[]): string | null {
  const limit = Math.min(MAX_EDITS, Math.floor(name.length / 3));
  let best: { name: string; edits: number } | null = null;
  for (const candidate of known) {
    const edits = editDistance(name, candidate);
    if (edits <= limit && (best === null || edits < best.edits)) best = { name: candidate, edits };
  }
  return best?.name ?? null;
}

/** Levenshtein: insertions, deletions and replacements of one character. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, leftChar] of [...left].entries()) {
    const next = [i + 1];
    for (const [j, rightChar] of [...right].entries()) {
      const replaced = (row[j] ?? 0) + (leftChar === rightChar ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

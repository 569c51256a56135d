// Durations as people write them in settings (`500ms`, `5s`, `15m`, `1h`, `7d`) and as they read them in reports.

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNIT_MS;
const LARGEST_FIRST: readonly Unit[] = ['d', 'h', 'm', 's', 'ms'];
const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Milliseconds, or null when the text is not a whole number with a unit. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text.trim());
  if (match === null) return null;
  const durationMs = Number(match[1]) * UNIT_MS[match[2] as Unit];
  return Number.isSafeInteger(durationMs) ? durationMs : null;
}

/** The shortest exact form, which `parseDuration` reads back: 900000 → `15m`, 90000 → `90s`. Whole milliseconds ≥ 0. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  const unit = LARGEST_FIRST.find((candidate) => durationMs % UNIT_MS[candidate] === 0) ?? 'ms';
  return `${durationMs / UNIT_MS[unit]}${unit}`;
}

/** For people, the two largest units: `3 m 12 s`, `2 d 4 h`, `0.4 s`. */
export function roughDuration(durationMs: number): string {
  const wholeMs = Math.max(0, Math.round(durationMs));
  if (wholeMs < 10_000) return `${Number((wholeMs / 1_000).toFixed(1))} s`;
  const wholeSeconds = Math.round(wholeMs / 1_000) * 1_000;
  const parts: string[] = [];
  let restMs = wholeSeconds;
  for (const unit of LARGEST_FIRST.slice(0, 4)) {
    const count = Math.floor(restMs / UNIT_MS[unit]);
    restMs -= count * UNIT_MS[unit];
    if (count > 0 && parts.length < 2) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}

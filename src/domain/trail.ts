// The row's own timeline: one line per write, appended in the same statement. `epochMs code`, newest last, at most 2 KB.

export const MAX_TRAIL_CHARS = 2_048;
export const MAX_TRAIL_CODE_CHARS = 160;

export type TrailFacts = Readonly<Record<string, string | number | null>>;

export interface TrailEntry {
  readonly atMs: number;
  readonly rule: string;
  readonly facts: Readonly<Record<string, string>>;
}

/** `transient n=1 code=NTF_PROVIDER_TRANSIENT`; facts that are null, or do not fit whole, are left out: half a number is a wrong one. */
export function trailCode(rule: string, facts: TrailFacts = {}): string {
  let code = rule.slice(0, MAX_TRAIL_CODE_CHARS);
  for (const [key, value] of Object.entries(facts)) {
    if (value === null) continue;
    const longer = `${code} ${key}=${String(value).replace(/[^!-~]/g, '_')}`;
    if (longer.length <= MAX_TRAIL_CODE_CHARS) code = longer;
  }
  return code;
}

/** Appends one line and drops the oldest whole lines beyond the limit. The SQL function `append_trail` does the same. */
export function appendTrail(trail: string, code: string, atMs: number): string {
  const longer = `${trail}${atMs} ${code}\n`;
  if (longer.length <= MAX_TRAIL_CHARS) return longer;
  const cut = longer.slice(longer.length - MAX_TRAIL_CHARS);
  return cut.slice(cut.indexOf('\n') + 1);
}

export function parseTrail(trail: string): readonly TrailEntry[] {
  return trail
    .split('\n')
    .filter((line) => line !== '')
    .map(entryOf);
}

/** The newest; empty where there is none. */
export function lastLine(trail: string): string {
  const lines = trail.trimEnd();
  return lines.slice(lines.lastIndexOf('\n') + 1);
}

/** The newest; null where there is none. */
export function lastEntry(trail: string): TrailEntry | null {
  const line = lastLine(trail);
  return line === '' ? null : entryOf(line);
}

function entryOf(line: string): TrailEntry {
  const [at = '0', rule = '', ...words] = line.split(' ');
  return { atMs: Number(at), rule, facts: Object.fromEntries(words.map(factOf)) };
}

/** Only the first `=` separates: ids of messages may hold more. */
function factOf(word: string): [string, string] {
  const [key = '', ...value] = word.split('=');
  return [key, value.join('=')];
}

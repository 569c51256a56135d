import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../../../src/runtime/metric-catalogue.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const page = (name: string) => readFileSync(`${ROOT}docs/${name}`, 'utf8');

/** The literal events that the source logs at `level`. */
function eventsLogged(level: string): readonly string[] {
  const calls = new RegExp(`\\blogger\\.${level}\\(\\s*'([a-z._-]+)'`, 'g');
  return readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [...readFileSync(`${ROOT}src/${name}`, 'utf8').matchAll(calls)].map((match) => match[1] ?? ''),
    );
}

describe('the reference pages', () => {
  it('have a row for every metric, with its labels', () => {
    const text = page('metrics.md');
    for (const [name, { labels }] of Object.entries({ ...COUNTERS, ...GAUGES, ...HISTOGRAMS })) {
      expect(text).toMatch(new RegExp(`^\\| \`${name}\` \\| ${labels.join(', ')} ?\\|`, 'm'));
    }
  });

  it('name every event that is logged as a warning or an error', () => {
    const text = page('logs.md');
    const events = [...eventsLogged('warn'), ...eventsLogged('error')];
    expect(events.length).toBeGreaterThan(10);
    expect(
      events.filter((event) => !text.includes(`\`${event}\``)),
      'add them to docs/logs.md',
    ).toEqual([]);
  });
});

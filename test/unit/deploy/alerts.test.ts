import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../../../src/runtime/metric-catalogue.ts';
import { needs } from '../../support/needed-tool.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RULES = `${ROOT}deploy/prometheus/pin-alerts.yml`;
const text = readFileSync(RULES, 'utf8');

function promtool(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

describe('the alerts', () => {
  it('are rules that Prometheus takes, and fire and end as promised', (context) => {
    needs(context, 'promtool');
    for (const args of [
      ['check', 'rules', RULES],
      ['test', 'rules', `${ROOT}deploy/prometheus/pin-alerts.test.yml`],
    ]) {
      const { status, said } = promtool(...args);
      expect(status, said).toBe(0);
    }
  });

  it('name only metrics that there are', () => {
    const known = Object.keys({ ...COUNTERS, ...GAUGES, ...HISTOGRAMS });
    const named = [...text.matchAll(/pin_[a-z_]+/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('link runbooks, and places in them, that there are', () => {
    const links = [...text.matchAll(/runbook_url: (\S+)/g)].map((match) => match[1] ?? '');
    expect(links).toHaveLength([...text.matchAll(/- alert:/g)].length);
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      expect([link, existsSync(`${ROOT}${path}`)]).toEqual([link, true]);
      const anchors = [...readFileSync(`${ROOT}${path}`, 'utf8').matchAll(/^#+ (.*)$/gm)].map(
        ([, title = '']) =>
          title
            .toLowerCase()
            .replaceAll(/[^a-z0-9 -]/g, '')
            .replaceAll(' ', '-'),
      );
      if (anchor !== undefined) expect(anchors).toContain(anchor);
    }
  });
});

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../../../src/runtime/metric-catalogue.ts';
import { type PrometheusMetrics, prometheusMetrics } from '../../../src/runtime/prometheus-metrics.ts';

const build = { version: '1.2.3', node: 'v20' };

function labelsOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, 'x']));
}

/** Every metric of the catalogue with one series. */
function filled(): PrometheusMetrics {
  const metrics = prometheusMetrics(build);
  for (const [name, { labels }] of Object.entries(COUNTERS)) {
    metrics.increment(name as keyof typeof COUNTERS, labelsOf(labels), 2);
  }
  for (const [name, { labels }] of Object.entries(GAUGES)) {
    metrics.set(name as keyof typeof GAUGES, labelsOf(labels), 3);
  }
  for (const [name, { labels }] of Object.entries(HISTOGRAMS)) {
    metrics.observe(name as keyof typeof HISTOGRAMS, labelsOf(labels), 0.2);
  }
  return metrics;
}

const PROMTOOL = 'promtool';
const hasPromtool = spawnSync(PROMTOOL, ['--version']).error === undefined;

describe('prometheusMetrics', () => {
  it('exposes the whole catalogue', async () => {
    const text = await filled().render();
    for (const name of [...Object.keys(COUNTERS), ...Object.keys(GAUGES), ...Object.keys(HISTOGRAMS)]) {
      expect(text).toContain(`# HELP ${name} `);
    }
    expect(text).toContain('pin_dlq_total{reason="x"} 2');
    expect(text).toContain('pin_build_info{version="1.2.3",node="v20"} 1');
  });

  it('refuses a label that the catalogue does not name, and a missing one', () => {
    const metrics = prometheusMetrics(build);
    expect(() => metrics.increment('pin_dlq_total', { tenant: 't' })).toThrow(/takes the labels \[reason\]/);
    expect(() => metrics.increment('pin_dlq_total')).toThrow(/takes the labels/);
    expect(() => metrics.set('pin_overdue_wakeups', { id: '1' }, 1)).toThrow(/takes the labels/);
  });

  it('counts everything once, however often it is read in between', async () => {
    const metrics = prometheusMetrics(build);
    metrics.increment('pin_dlq_total', { reason: 'a' });
    metrics.increment('pin_dlq_total', { reason: 'a' }, 2);
    metrics.increment('pin_dlq_total', { reason: 'b' });
    expect(await metrics.render()).toContain('pin_dlq_total{reason="a"} 3');
    metrics.increment('pin_dlq_total', { reason: 'a' });
    const text = await metrics.render();
    expect(text).toContain('pin_dlq_total{reason="a"} 4');
    expect(text).toContain('pin_dlq_total{reason="b"} 1');
  });

  it('keeps two registries apart', async () => {
    filled();
    expect(await prometheusMetrics(build).render()).not.toContain('pin_dlq_total{');
  });

  it.skipIf(!hasPromtool && process.env['CI'] !== 'true')(
    'passes promtool (skipped where promtool is not installed)',
    async () => {
      const answer = spawnSync(PROMTOOL, ['check', 'metrics'], {
        input: await filled().render(),
        encoding: 'utf8',
      });
      expect(answer.error, 'promtool is needed in CI: Debian package prometheus').toBeUndefined();
      expect(`${answer.stdout}${answer.stderr}`).toBe('');
      expect(answer.status).toBe(0);
    },
  );
});

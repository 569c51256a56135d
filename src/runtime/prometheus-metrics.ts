// The catalogue of metrics by prom-client, in a registry of its own. A call with other labels than the catalogue's is a bug.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { invariant } from './fault.ts';
import {
  COUNTERS,
  type CounterName,
  GAUGES,
  type GaugeName,
  HISTOGRAMS,
  type HistogramName,
} from './metric-catalogue.ts';
import type { Labels, Metrics } from './metrics.ts';

export interface PrometheusMetrics extends Metrics {
  readonly contentType: string;
  /** The text that a scrape gets. */
  render(): Promise<string>;
  /** Forgets every label of a gauge: what is set next is all there is. */
  clear(name: GaugeName): void;
}

export interface BuildInfo {
  readonly version: string;
  readonly node: string;
}

/** Upper bounds in seconds. A provider's deadline is 15 s by default; the longest default wait is 15 min. */
const BUCKETS_SECONDS: Readonly<Record<HistogramName, readonly number[]>> = {
  pin_delivery_duration_seconds: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
  pin_retry_lateness_seconds: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900],
};

export function prometheusMetrics(build: BuildInfo): PrometheusMetrics {
  const registry = new Registry();
  const registers = [registry];
  const counters = mapNames(
    COUNTERS,
    (name, { help, labels }) => new Counter({ name, help, labelNames: labels, registers }),
  );
  const gauges = mapNames(
    GAUGES,
    (name, { help, labels }) => new Gauge({ name, help, labelNames: labels, registers }),
  );
  const histograms = mapNames(
    HISTOGRAMS,
    (name, { help, labels }) =>
      new Histogram({ name, help, labelNames: labels, buckets: [...BUCKETS_SECONDS[name]], registers }),
  );
  gauges.pin_build_info.set({ ...build }, 1);
  const counterOf = remembered((name: CounterName, labels) =>
    counters[name].labels(checked(name, labels, COUNTERS[name].labels)),
  );
  const histogramOf = remembered((name: HistogramName, labels) =>
    histograms[name].labels(checked(name, labels, HISTOGRAMS[name].labels)),
  );
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    clear: (name) => gauges[name].reset(),
    increment: (name, labels = {}, by = 1) => counterOf(name, labels).inc(by),
    set: (name, labels, value) => gauges[name].set(checked(name, labels, GAUGES[name].labels), value),
    observe: (name, labels, value) => histogramOf(name, labels).observe(value),
  };
}

/** Beyond this many combinations of labels each call looks its own up again. */
const MAX_REMEMBERED = 1_000;

/** What was found for a name and its labels, by their text: prom-client sorts and hashes the labels at every call. */
function remembered<Name extends string, T>(
  find: (name: Name, labels: Labels) => T,
): (name: Name, labels: Labels) => T {
  const known = new Map<string, T>();
  return (name, labels) => {
    let key: string = name;
    for (const label in labels) key += `\n${label}\t${labels[label]}`;
    let found = known.get(key);
    if (found === undefined) {
      found = find(name, labels);
      if (known.size < MAX_REMEMBERED) known.set(key, found);
    }
    return found;
  };
}

interface Described {
  readonly help: string;
  readonly labels: readonly string[];
}

function mapNames<Name extends string, T>(
  catalogue: Readonly<Record<Name, Described>>,
  make: (name: Name, described: Described) => T,
): Record<Name, T> {
  const entries = (Object.entries(catalogue) as [Name, Described][]).map(([name, described]) => [
    name,
    make(name, described),
  ]);
  return Object.fromEntries(entries) as Record<Name, T>;
}

function checked(
  name: CounterName | GaugeName | HistogramName,
  labels: Labels,
  wanted: readonly string[],
): Labels {
  const given = Object.keys(labels);
  const isSame = given.length === wanted.length && wanted.every((label) => labels[label] !== undefined);
  invariant(isSame, `${name} takes the labels [${wanted.join(', ')}], not [${given.join(', ')}]`);
  return labels;
}

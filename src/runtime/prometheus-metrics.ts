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
  const counted = countedUntilRead((name, labels, by) => counters[name].inc(labels, by));
  return {
    contentType: registry.contentType,
    render() {
      counted.handOver();
      return registry.metrics();
    },
    clear: (name) => gauges[name].reset(),
    increment: counted.increment,
    set: (name, labels, value) => gauges[name].set(checked(name, labels, GAUGES[name].labels), value),
    observe: (name, labels, value) =>
      histograms[name].observe(checked(name, labels, HISTOGRAMS[name].labels), value),
  };
}

/** Beyond this many combinations of labels a count is handed over at once. */
const MAX_REMEMBERED = 1_000;

/** Sums of increments by name and labels: prom-client checks, sorts and hashes the labels of each, which adds up per notification. */
function countedUntilRead(add: (name: CounterName, labels: Labels, by: number) => void): {
  readonly increment: Metrics['increment'];
  /** Hands all sums over. */
  readonly handOver: () => void;
} {
  const sums = new Map<string, { readonly name: CounterName; readonly labels: Labels; by: number }>();
  return {
    increment(name, labels = {}, by = 1) {
      let key: string = name;
      for (const label in labels) key += `\n${label}\t${labels[label]}`;
      const sum = sums.get(key);
      if (sum !== undefined) {
        sum.by += by;
        return;
      }
      const known = checked(name, labels, COUNTERS[name].labels);
      if (sums.size < MAX_REMEMBERED) sums.set(key, { name, labels: { ...known }, by });
      else add(name, known, by);
    },
    handOver() {
      for (const sum of sums.values()) {
        if (sum.by > 0) add(sum.name, sum.labels, sum.by);
        sum.by = 0;
      }
    },
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

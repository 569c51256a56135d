// Metrics as a port. Names and labels are the catalogue's (metric-catalogue.ts); labels are bounded, never an id or a tenant.
import type { CounterName, GaugeName, HistogramName } from './metric-catalogue.ts';

export type Labels = Readonly<Record<string, string | number>>;

export interface Metrics {
  increment(name: CounterName, labels?: Labels, by?: number): void;
  set(name: GaugeName, labels: Labels, value: number): void;
  observe(name: HistogramName, labels: Labels, value: number): void;
}

export const noMetrics: Metrics = {
  increment: () => undefined,
  set: () => undefined,
  observe: () => undefined,
};

// What must be done so that the topics are as they should be. It plans first and changes only what the plan says; it never deletes, never
// shortens what an operator has made longer, and never changes a partition count: that would send keys to other partitions.
import type { LogAdmin, TopicDescription, TopicSpec } from '../broker/log.ts';

export type TopicStep =
  | { readonly kind: 'create'; readonly spec: TopicSpec }
  | {
      readonly kind: 'alter';
      readonly topic: string;
      readonly config: Readonly<Record<string, string>>;
      /** `retention.ms 3600000 → 604800000`, one for each entry. */
      readonly changes: readonly string[];
    }
  | { readonly kind: 'ok'; readonly topic: string }
  /** Nothing here can repair it; the sentence says why. */
  | { readonly kind: 'refuse'; readonly topic: string; readonly sentence: string };

/** More of these is as good: what an operator has raised stays. */
const AT_LEAST = new Set(['retention.ms', 'min.insync.replicas', 'max.message.bytes']);
const UNLIMITED = '-1';

/** @throws Fault LOG_UNAVAILABLE (retriable) */
export async function topicsPlan(
  admin: Pick<LogAdmin, 'describe'>,
  wanted: readonly TopicSpec[],
): Promise<readonly TopicStep[]> {
  const found = await admin.describe(wanted.map((spec) => spec.topic));
  return wanted.map((spec) => stepFor(spec, found.get(spec.topic) ?? null));
}

/** Creates and alters what the plan names. @throws Fault LOG_UNAVAILABLE (retriable); what was done stays done, and planning again shows it. */
export async function applyTopicsPlan(
  admin: Pick<LogAdmin, 'create' | 'alter'>,
  steps: readonly TopicStep[],
): Promise<void> {
  const missing = steps.flatMap((step) => (step.kind === 'create' ? [step.spec] : []));
  if (missing.length > 0) await admin.create(missing);
  for (const step of steps) if (step.kind === 'alter') await admin.alter(step.topic, step.config);
}

function stepFor(spec: TopicSpec, found: TopicDescription | null): TopicStep {
  const { topic } = spec;
  if (found === null) return { kind: 'create', spec };
  if (found.partitions !== spec.partitions) {
    const sentence = `has ${found.partitions} partitions and should have ${spec.partitions}: set PIN_PARTITIONS, or make it anew while it is empty`;
    return { kind: 'refuse', topic, sentence };
  }
  if (found.replicationFactor < spec.replicationFactor) {
    const sentence = `has ${found.replicationFactor} copies and should have ${spec.replicationFactor}: reassign its partitions with your broker's tools`;
    return { kind: 'refuse', topic, sentence };
  }
  const config = differences(spec, found);
  const changes = Object.entries(config).map(
    ([name, value]) => `${name} ${found.config[name] ?? 'unset'} → ${value}`,
  );
  return changes.length === 0 ? { kind: 'ok', topic } : { kind: 'alter', topic, config, changes };
}

function differences(spec: TopicSpec, found: TopicDescription): Record<string, string> {
  const entries = Object.entries(spec.config).filter(
    ([name, value]) => !suffices(name, found.config[name], value),
  );
  return Object.fromEntries(entries);
}

function suffices(name: string, found: string | undefined, wanted: string): boolean {
  if (found === wanted) return true;
  if (found === undefined || !AT_LEAST.has(name)) return false;
  if (name === 'retention.ms' && found === UNLIMITED) return true;
  return Number(found) >= Number(wanted);
}

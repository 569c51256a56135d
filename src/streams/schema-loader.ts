// Asks the registry for a schema id once, however many records wait for it. An unknown id is remembered for a short while only (it may be
// registered any moment), a failure not at all; schemas are remembered by whoever parses them.
import type { Clock } from '../runtime/clock.ts';
import type { SchemaAnswer, SchemaRegistry } from './registry.ts';

export const UNKNOWN_ID_TTL_MS = 10_000;
const MAX_UNKNOWN_IDS = 1_000;

export interface SchemaLoader {
  /** @throws Fault REGISTRY_UNAVAILABLE (retriable) */
  load(id: number): Promise<SchemaAnswer>;
}

export function schemaLoader(deps: {
  readonly registry: Pick<SchemaRegistry, 'schemaOf'>;
  readonly clock: Clock;
}): SchemaLoader {
  const unknownUntilMs = new Map<number, number>();
  const asked = new Map<number, Promise<SchemaAnswer>>();

  async function ask(id: number): Promise<SchemaAnswer> {
    const answer = await deps.registry.schemaOf(id);
    if (answer.kind === 'unknown-id') rememberUnknown(id);
    return answer;
  }

  function rememberUnknown(id: number): void {
    unknownUntilMs.set(id, deps.clock.monotonicMs() + UNKNOWN_ID_TTL_MS);
    const [oldest] = unknownUntilMs.keys();
    if (unknownUntilMs.size > MAX_UNKNOWN_IDS && oldest !== undefined) unknownUntilMs.delete(oldest);
  }

  function isKnownUnknown(id: number): boolean {
    const untilMs = unknownUntilMs.get(id);
    if (untilMs === undefined) return false;
    if (untilMs > deps.clock.monotonicMs()) return true;
    unknownUntilMs.delete(id);
    return false;
  }

  return {
    load(id) {
      if (isKnownUnknown(id)) return Promise.resolve({ kind: 'unknown-id' });
      const pending = asked.get(id);
      if (pending !== undefined) return pending;
      const asking = ask(id).finally(() => asked.delete(id));
      asked.set(id, asking);
      return asking;
    },
  };
}

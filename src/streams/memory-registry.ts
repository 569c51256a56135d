// A schema registry in memory: for tests, for the simulator, and for the demo on a machine that has no servers.
import { compatibilityProblems } from './compatibility.ts';
import type { SchemaRegistry } from './registry.ts';

/** Ids start at 1; the same schema has the same id under every subject. */
export function memoryRegistry(): SchemaRegistry {
  const ids = new Map<string, number>();
  const subjects = new Map<string, string[]>();

  function idFor(schema: string): number {
    const id = ids.get(schema) ?? ids.size + 1;
    ids.set(schema, id);
    return id;
  }

  function problemsOf(subject: string, schema: string): readonly string[] {
    const versions = subjects.get(subject) ?? [];
    return versions.flatMap((version) => compatibilityProblems(schema, version));
  }

  return {
    schemaOf(id) {
      const found = [...ids].find(([, known]) => known === id);
      return Promise.resolve(
        found === undefined ? { kind: 'unknown-id' } : { kind: 'schema', schema: found[0] },
      );
    },
    idOf(subject, schema) {
      const text = canonical(schema);
      const isThere = subjects.get(subject)?.includes(text) === true;
      return Promise.resolve(isThere ? (ids.get(text) ?? null) : null);
    },
    register(subject, schema) {
      const text = canonical(schema);
      const problems = problemsOf(subject, text);
      if (problems.length > 0) return Promise.resolve({ kind: 'incompatible', detail: problems.join('; ') });
      const versions = subjects.get(subject) ?? [];
      if (!versions.includes(text)) subjects.set(subject, [...versions, text]);
      return Promise.resolve({ kind: 'registered', id: idFor(text) });
    },
    checkCompatibility(subject, schema) {
      const problems = problemsOf(subject, canonical(schema));
      return Promise.resolve(
        problems.length === 0
          ? { kind: 'compatible' }
          : { kind: 'incompatible', detail: problems.join('; ') },
      );
    },
  };
}

function canonical(schema: string): string {
  return JSON.stringify(JSON.parse(schema));
}

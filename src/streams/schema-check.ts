// `pin schemas check` and `pin schemas push`: every schema of ours against every version that was ever released, and into a registry.
import { compatibilityProblems } from './compatibility.ts';
import { COMPATIBILITY, type RegisterAnswer, type SchemaRegistry } from './registry.ts';
import { readSchemaFamily, SCHEMA_NAMES, type SchemaFamily, type SchemaName } from './schema-files.ts';
import { schemaRuleProblems } from './schema-rules.ts';
import type { Topics } from './topics.ts';

export interface SchemaCheck {
  readonly name: SchemaName;
  readonly releasedVersions: number;
  /** False: the current schema differs from the newest released one; nothing is written with it before it is released. */
  readonly isReleased: boolean;
  /** Empty: the schema is fine. */
  readonly problems: readonly string[];
}

/** FULL_TRANSITIVE, offline. @throws Fault SCHEMAS_UNREADABLE */
export function checkSchemas(folder?: string): readonly SchemaCheck[] {
  return SCHEMA_NAMES.map((name) => checkFamily(readSchemaFamily(name, folder)));
}

export function checkFamily({ name, current, released }: SchemaFamily): SchemaCheck {
  const versions = [...released, current];
  const problems = versions.flatMap((newer, index) =>
    versions
      .slice(0, index)
      .flatMap((older, earlier) =>
        compatibilityProblems(newer, older).map((problem) => `against v${earlier + 1}: ${problem}`),
      ),
  );
  return {
    name,
    releasedVersions: released.length,
    isReleased: released.at(-1) === current,
    problems: [...new Set([...schemaRuleProblems(current), ...problems])],
  };
}

export interface PushedSchema {
  readonly subject: string;
  readonly version: number;
  readonly answer: RegisterAnswer | { readonly kind: 'present'; readonly id: number };
}

/**
 * Registers every released version under every subject, oldest first, and stops a subject at the first refusal.
 * @throws Fault REGISTRY_UNAVAILABLE (retriable)
 */
export async function pushSchemas(
  registry: SchemaRegistry,
  topics: Topics,
  folder?: string,
): Promise<readonly PushedSchema[]> {
  const pushed: PushedSchema[] = [];
  for (const { subject, schema } of topics.contracts) {
    if (subject === null || schema === null) continue;
    pushed.push(...(await pushFamily(registry, subject, readSchemaFamily(schema, folder))));
  }
  return pushed;
}

async function pushFamily(
  registry: SchemaRegistry,
  subject: string,
  family: SchemaFamily,
): Promise<readonly PushedSchema[]> {
  const pushed: PushedSchema[] = [];
  for (const [index, schema] of family.released.entries()) {
    const before = await registry.idOf(subject, schema);
    const answer = await registry.register(subject, schema, COMPATIBILITY);
    const isPresent = answer.kind === 'registered' && before === answer.id;
    pushed.push({
      subject,
      version: index + 1,
      answer: isPresent ? { kind: 'present', id: answer.id } : answer,
    });
    if (answer.kind === 'incompatible') break;
  }
  return pushed;
}

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../src/streams/memory-registry.ts';
import { checkFamily, checkSchemas, pushSchemas } from '../../../src/streams/schema-check.ts';
import { readSchemaFamily } from '../../../src/streams/schema-files.ts';
import { schemaRuleProblems } from '../../../src/streams/schema-rules.ts';
import { topicsOf } from '../../../src/streams/topics.ts';

type Schema = { readonly fields: readonly object[] } & Readonly<Record<string, unknown>>;
const family = readSchemaFamily('retry-due');
const schema = JSON.parse(family.current) as Schema;
const withField = (field: object) => JSON.stringify({ ...schema, fields: [...schema.fields, field] });

describe('the schemas of this repository', () => {
  it('fit every version that was ever released, and are released', () => {
    const checks = checkSchemas();
    expect(checks.flatMap((check) => check.problems)).toEqual([]);
    expect(checks.map((check) => check.isReleased)).toEqual([true, true, true, true, true]);
  });

  it('are what the TypeScript types were generated from', () => {
    const run = () =>
      execFileSync(process.execPath, ['scripts/generate-types.mjs', '--check'], { stdio: 'pipe' });
    expect(run).not.toThrow();
  });
});

describe('the check of a schema', () => {
  it('compares with every released version, not only with the newest', () => {
    const added = withField({ name: 'why', type: 'string', doc: 'Why.' });
    const { problems } = checkFamily({
      name: 'retry-due',
      current: added,
      released: [family.current, added],
    });
    expect(problems).toContain('against v1: pin.notifications.v1.RetryDue.why was added and has no default');
  });

  it('says when the current schema is not released yet', () => {
    const current = withField({ name: 'why', type: ['null', 'string'], default: null, doc: 'Why.' });
    expect(checkFamily({ ...family, current })).toMatchObject({ isReleased: false, problems: [] });
  });

  it('fails for a released version that is missing', () => {
    expect(() => readSchemaFamily('retry-due', '/nowhere')).toThrow(
      expect.objectContaining({ code: 'SCHEMAS_UNREADABLE' }),
    );
  });
});

describe('the rules of the house', () => {
  it.each([
    ['RetryDue.b: no doc', { name: 'b', type: 'string' }],
    ['RetryDue.b: an optional field needs "default": null', { name: 'b', type: ['null', 'int'], doc: 'B.' }],
    [
      'RetryDue.b: the only union is ["null", T]',
      { name: 'b', type: ['int', 'null'], default: null, doc: 'B.' },
    ],
    [
      'RetryDue.b: the only union is ["null", T]',
      { name: 'b', type: ['null', 'int', 'string'], default: null, doc: 'B.' },
    ],
    [
      'RetryDue.b{}: an enum needs a default among its symbols',
      { name: 'b', type: { type: 'map', values: { type: 'enum', name: 'E', symbols: ['A'] } }, doc: 'B.' },
    ],
    [
      'RetryDue.b[].c: no doc',
      {
        name: 'b',
        type: {
          type: 'array',
          items: { type: 'record', name: 'I', doc: 'I.', fields: [{ name: 'c', type: 'int' }] },
        },
        doc: 'B.',
      },
    ],
  ])('refuse: %s', (problem, field) => {
    expect(schemaRuleProblems(withField(field))).toEqual([problem]);
  });

  it('refuse another namespace and a value that is no record', () => {
    expect(schemaRuleProblems(JSON.stringify({ ...schema, namespace: 'x' }))).toEqual([
      'the namespace must be pin.notifications.v1',
    ]);
    expect(schemaRuleProblems('"string"')).toEqual(['the value must be a record']);
  });
});

describe('the push of the schemas', () => {
  it('registers every released version under every subject once, and says so the second time', async () => {
    const [registry, topics] = [memoryRegistry(), topicsOf()];
    const first = await pushSchemas(registry, topics);
    expect(first).toHaveLength(13);
    expect(new Set(first.map(({ answer }) => answer.kind))).toEqual(new Set(['registered']));
    const second = await pushSchemas(registry, topics);
    expect(new Set(second.map(({ answer }) => answer.kind))).toEqual(new Set(['present']));
  });

  it('reports what the registry refuses', async () => {
    const [registry, topics] = [memoryRegistry(), topicsOf()];
    const other = withField({ name: 'b', type: 'string', doc: 'B.' });
    await registry.register(`${topics.commands}-value`, other, 'FULL_TRANSITIVE');
    const pushed = await pushSchemas(registry, topics);
    const refused = pushed.filter(({ answer }) => answer.kind === 'incompatible');
    expect(refused.map(({ subject }) => subject)).toEqual([`${topics.commands}-value`]);
  });
});

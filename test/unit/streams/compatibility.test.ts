import { describe, expect, it } from 'vitest';
import { compatibilityProblems } from '../../../src/streams/compatibility.ts';

const record = (...fields: object[]) =>
  JSON.stringify({
    type: 'record',
    name: 'R',
    namespace: 'n',
    fields: [{ name: 'a', type: 'string' }, ...fields],
  });
const plain = record();
const symbols = (...names: string[]) =>
  record({ name: 's', type: { type: 'enum', name: 'S', symbols: names, default: 'Unknown' } });

describe('two versions of a schema', () => {
  it('fit when a field with a default was added or removed', () => {
    const added = record({ name: 'b', type: ['null', 'string'], default: null });
    expect(compatibilityProblems(added, plain)).toEqual([]);
    expect(compatibilityProblems(plain, added)).toEqual([]);
  });

  it('do not fit when a field without a default was added or removed, also deep inside', () => {
    const added = record({ name: 'b', type: 'string' });
    expect(compatibilityProblems(added, plain)).toEqual(['n.R.b was added and has no default']);
    expect(compatibilityProblems(plain, added)).toEqual(['n.R.b was removed and has no default']);
    const inner = (fields: object[]) =>
      record({
        name: 'i',
        type: [
          'null',
          { type: 'map', values: { type: 'array', items: { type: 'record', name: 'I', fields } } },
        ],
        default: null,
      });
    expect(compatibilityProblems(inner([{ name: 'x', type: 'int' }]), inner([]))).toEqual([
      'n.I.x was added and has no default',
    ]);
  });

  it('do not fit when a type changed, even where one direction could be read', () => {
    const as = (type: string) => record({ name: 'b', type });
    expect(compatibilityProblems(as('long'), as('int'))).toEqual([expect.stringMatching(/new values/)]);
    expect(compatibilityProblems(as('string'), as('int'))).toHaveLength(2);
  });

  it('fit when an enum with a default gets a symbol, and not without a default', () => {
    expect(compatibilityProblems(symbols('Unknown', 'A', 'B'), symbols('Unknown', 'A'))).toEqual([]);
    const bare = (...names: string[]) =>
      record({ name: 's', type: { type: 'enum', name: 'S', symbols: names } });
    expect(compatibilityProblems(bare('A', 'B'), bare('A'))).toHaveLength(1);
  });

  it('do not fit when one of them is no schema', () => {
    expect(compatibilityProblems('{', plain)).toEqual([expect.stringMatching(/not an Avro schema/)]);
  });
});

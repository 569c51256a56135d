import { describe, expect, it } from 'vitest';
import { jsonValues } from '../../../../src/app/requests/json-values.ts';

describe('jsonValues', () => {
  it('takes one value, also over several lines, an array, and one value a line', () => {
    expect(jsonValues('{\n"a": 1\n}')).toEqual({
      kind: 'values',
      values: [{ where: 'line 1', value: { a: 1 } }],
    });
    expect(jsonValues('[1, 2]')).toMatchObject({
      values: [{ where: 'item 1' }, { where: 'item 2', value: 2 }],
    });
    expect(jsonValues('{}\n\n{"a":1}\n')).toMatchObject({
      values: [{ where: 'line 1' }, { where: 'line 3', value: { a: 1 } }],
    });
  });

  it('says which line is no JSON', () => {
    expect(jsonValues('{}\n{"a":\n{}')).toMatchObject({
      kind: 'invalid',
      problems: [expect.stringMatching(/^line 2: is not JSON/)],
    });
    expect(jsonValues('{\n"a":\n}')).toMatchObject({
      kind: 'invalid',
      problems: [expect.stringMatching(/^is not JSON/)],
    });
    expect(jsonValues('')).toMatchObject({ kind: 'invalid' });
  });
});

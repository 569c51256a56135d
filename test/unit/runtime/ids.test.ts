import { expect, test } from 'vitest';
import { uuidOfName } from '../../../src/runtime/ids.ts';

const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

test('a uuid of a name is version 5 of RFC 9562', () => {
  expect(uuidOfName(DNS, 'python.org')).toBe('886313e1-3b8a-5372-9b90-0c9aee199e5d');
  expect(uuidOfName('c2b1a2f0-6f0e-4f6e-9d58-0f6f3f3c1f11', 'żółw')).toBe(
    '0e9a7078-20ab-5370-970a-08037544e87c',
  );
});

import { describe, expect, test } from 'vitest';
import { sanitiseProviderCode } from '../../../src/domain/codes.ts';

describe('sanitiseProviderCode', () => {
  test.each([
    ['550', '550'],
    ['Unregistered: ada@example.com', 'Unregistered:adaexample.com'],
    ['5.1.1', '5.1.1'],
    ['x'.repeat(100), 'x'.repeat(64)],
    ['\0 \n', null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('%j becomes %j', (text, code) => {
    expect(sanitiseProviderCode(text)).toBe(code);
  });
});

import { expect, test } from 'vitest';
import { newClusterId } from '../../../../src/app/stack/cluster-id.ts';

test('a cluster id is 16 bytes, and never begins like an option', () => {
  expect(
    Buffer.from('f8000000-0000-4000-8000-000000000000'.replaceAll('-', ''), 'hex').toString('base64url')[0],
  ).toBe('-');
  const id = newClusterId('f8000000-0000-4000-8000-000000000000');
  expect(id[0]).not.toBe('-');
  expect(Buffer.from(id, 'base64url')).toHaveLength(16);
  expect(newClusterId()).not.toBe(newClusterId());
});

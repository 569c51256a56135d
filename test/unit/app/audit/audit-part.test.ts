import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isInPart, parsePart } from '../../../../src/app/audit/audit-part.ts';

it('puts every id into exactly one of the parts, and whatever is no id too', () => {
  const parts = [1, 2, 3].map((number) => ({ number, of: 3 }));
  for (const id of [...Array.from({ length: 200 }, () => randomUUID()), 'pin.requested.v1/0/7']) {
    expect(parts.filter((part) => isInPart(id, part))).toHaveLength(1);
  }
});

it('reads n/of and refuses what is no part', () => {
  expect(parsePart('2/8')).toEqual({ number: 2, of: 8 });
  for (const text of ['', '2', '0/8', '9/8', '1/0', '1/1001', 'a/b', '-1/2'])
    expect(parsePart(text)).toBeNull();
});

import { expect, test } from 'vitest';
import { startPosition } from '../../../src/broker/start-position.ts';

const lag = (committed: number | null) => ({ topic: 't', partition: 0, committed, start: 10, end: 20 });

test.each([10, 15, 20])('a commit of %i that the partition holds is where reading continues', (committed) => {
  expect(startPosition(lag(committed))).toMatchObject({
    offset: committed,
    outOfRange: null,
    uncommitted: false,
  });
});

test('without a commit reading starts at the beginning and a start is to be committed', () => {
  expect(startPosition(lag(null))).toMatchObject({ offset: 10, outOfRange: null, uncommitted: true });
});

test.each([9, 21])(
  'a commit of %i outside the partition is reported and reading starts at the beginning',
  (committed) => {
    expect(startPosition(lag(committed))).toMatchObject({
      offset: 10,
      outOfRange: committed,
      uncommitted: true,
    });
  },
);

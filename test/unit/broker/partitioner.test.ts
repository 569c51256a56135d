import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { expect, test } from 'vitest';
import { partitionFor } from '../../../src/broker/partitioner.ts';
import { KEY_VECTORS } from '../../contract/broker/key-vectors.ts';

test.each(KEY_VECTORS)('key %s goes where librdkafka puts it', (key, partition) => {
  expect(partitionFor(Buffer.from(key), 12)).toBe(partition);
});

test('a view into a larger buffer hashes like the bytes it shows', () => {
  const whole = Buffer.from('xx6ba7b810-9dad-11d1-80b4-00c04fd430c8yy');
  expect(partitionFor(whole.subarray(2, 38), 12)).toBe(1);
});

test('any key goes where the partitioner of kafkajs puts it', () => {
  const theirs = Partitioners.DefaultPartitioner();
  const metadataOf = (partitions: number) =>
    Array.from({ length: partitions }, (_, partitionId) => ({
      partitionId,
      partitionErrorCode: 0,
      leader: 1,
      replicas: [1],
      isr: [1],
    }));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.integer({ min: 1, max: 200 }), (key, partitions) => {
      const message = { key: Buffer.from(key), value: null };
      const partition = theirs({ topic: 'any', partitionMetadata: metadataOf(partitions), message });
      expect(partitionFor(key, partitions)).toBe(partition);
    }),
    { numRuns: 500 },
  );
});

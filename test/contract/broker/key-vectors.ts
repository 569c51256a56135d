// Where murmur2 of another client (librdkafka, through kcat) puts these keys among 12 partitions. Never computed by our own code.
export const KEY_VECTORS: readonly (readonly [key: string, partition: number])[] = [
  ['c0ffee00-1234-4abc-9def-0123456789ab', 0],
  ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', 1],
  ['abcdefg', 1],
  ['f47ac10b-58cc-4372-a567-0e02b2c3d479', 2],
  ['pin', 3],
  ['日本', 3],
  ['a', 4],
  ['00000000-0000-4000-8000-000000000000', 5],
  ['9b2d7a54-13e8-4c0f-8f6b-6d1f0a9c2e77', 7],
  ['b', 8],
  ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', 8],
  ['abcd', 8],
];

// Which partition a key belongs to, for every client of the log: murmur2 as the Java client computes it, so that records of one key
// meet in one task whoever produced them. kafkajs' own function gives the same numbers but takes about 8 µs a key (64-bit big
// integers); this one takes a fraction of that, and the tests hold the two, kcat and the Java vectors together. Never random.

const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/** Partition of `key` among `partitions` (at least 1). */
export function partitionFor(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** 32-bit murmur2, signed, as in Kafka's Java client. */
function murmur2(data: Uint8Array): number {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const wholeBytes = data.length & ~3;
  let hash = SEED ^ data.length;
  for (let at = 0; at < wholeBytes; at += 4) {
    let word = Math.imul(view.getInt32(at, true), MULTIPLIER);
    word = Math.imul(word ^ (word >>> 24), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  if (wholeBytes < data.length) {
    for (let at = data.length - 1; at >= wholeBytes; at -= 1) hash ^= view.getUint8(at) << ((at & 3) * 8);
    hash = Math.imul(hash, MULTIPLIER);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}

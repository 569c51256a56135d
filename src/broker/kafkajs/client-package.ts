// kafkajs as this room uses it. Its record codec is exchanged for ours before the package loads; a package of another shape, or one that
// somebody loaded earlier in this process, is used as it is. It never changes what goes over the wire.
import { createRequire } from 'node:module';
import { decodeRecord, encodeRecord } from './record-codec.ts';

const load = createRequire(import.meta.url);
const ENCODER = 'kafkajs/src/protocol/recordBatch/record/v0';
const DECODER = 'kafkajs/src/protocol/recordBatch/record/v0/decoder';
const VERSION = '2.2.4';

exchange(ENCODER, encodeRecord);
exchange(DECODER, decodeRecord);

export const { AssignerProtocol, ConfigResourceTypes, ConfigSource, Kafka, logLevel } = load(
  'kafkajs',
) as typeof import('kafkajs');

function exchange(path: string, codec: (...given: never[]) => unknown): void {
  const { version } = load('kafkajs/package.json') as { version: string };
  if (version !== VERSION) return;
  const file = load.resolve(path);
  load(path);
  const loaded = load.cache[file];
  if (loaded !== undefined) loaded.exports = codec;
}

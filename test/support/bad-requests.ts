// Requests that break their contract, one way each, made from a good one: what a careless or hostile producer can put on the topic.
import { randomUUID } from 'node:crypto';
import type { OutgoingRecord } from '../../src/broker/log.ts';
import { invariant } from '../../src/runtime/fault.ts';
import type { DlqReason } from '../../src/streams/decode-answer.ts';
import { FRAME_BYTES, MAX_VALUE_BYTES } from '../../src/streams/framing.ts';
import type { NotificationRequested } from '../../src/streams/generated/notification-requested.ts';
import { valueOfRequest } from '../../src/streams/request-value.ts';
import { encodeRequest } from '../../src/streams/requested.ts';
import { readSchemaFamily } from '../../src/streams/schema-files.ts';
import { freshRequest } from './fresh-request.ts';
import type { RealWorld } from './real-service.ts';

interface GoodRequest {
  readonly value: Buffer;
  /** The value with other fields, as the schema allows and the contract does not. */
  encode(over: Partial<NotificationRequested>): Buffer;
  /** Schema id of a writer whose values begin with an array of nulls. */
  readonly hostileSchemaId: number;
}

export interface BadRequest {
  readonly what: string;
  readonly reason: DlqReason;
  readonly spoil: (good: GoodRequest) => Partial<Pick<OutgoingRecord, 'key' | 'value'>>;
}

/** Every input fault that shows in the record alone; `payload-conflict` takes two. */
export const BAD_REQUESTS: readonly BadRequest[] = [
  { what: 'no value', reason: 'undecodable', spoil: () => ({ value: null }) },
  {
    what: 'a value that is cut short',
    reason: 'undecodable',
    spoil: ({ value }) => ({ value: value.subarray(0, -1) }),
  },
  {
    what: 'a byte after the end of the value',
    reason: 'undecodable',
    spoil: ({ value }) => ({ value: Buffer.concat([value, Buffer.of(0)]) }),
  },
  {
    what: 'five bytes that announce 17 thousand million entries',
    reason: 'undecodable',
    spoil: ({ encode }) => ({ value: withMapCount(encode({ data: { key: 'value' } }), HUGE_COUNT) }),
  },
  {
    what: 'five bytes that announce 17 thousand million nulls',
    reason: 'oversized',
    spoil: ({ hostileSchemaId }) => ({ value: framed(hostileSchemaId, HUGE_COUNT) }),
  },
  {
    what: 'a value of more than a mebibyte',
    reason: 'oversized',
    spoil: ({ value }) => ({ value: Buffer.concat([value], MAX_VALUE_BYTES + 1) }),
  },
  {
    what: 'a value that is plain JSON',
    reason: 'bad-magic',
    spoil: () => ({ value: Buffer.from('{"channel":"email"}') }),
  },
  {
    what: 'a schema id that the registry does not know',
    reason: 'unknown-schema',
    spoil: ({ value }) => ({ value: framed(NOBODYS_SCHEMA_ID, value.subarray(FRAME_BYTES)) }),
  },
  { what: 'no key', reason: 'null-key', spoil: () => ({ key: null }) },
  {
    what: 'a key that is some other id',
    reason: 'key-not-uuid',
    spoil: () => ({ key: Buffer.from(`order-${randomUUID()}`) }),
  },
  {
    what: 'the key of another notification',
    reason: 'key-mismatch',
    spoil: () => ({ key: Buffer.from(randomUUID()) }),
  },
  {
    what: 'a channel that there is not',
    reason: 'unknown-channel',
    spoil: ({ encode }) => ({ value: encode({ channel: 'fax' }) }),
  },
  {
    what: 'several recipients in one text',
    reason: 'recipient-list',
    spoil: ({ encode }) => ({ value: encode({ recipient: 'ada@example.com, bob@example.com' }) }),
  },
  {
    what: 'a JSON list of recipients',
    reason: 'recipient-list',
    spoil: ({ encode }) => ({ value: encode({ recipient: '["ada@example.com"]' }) }),
  },
  {
    what: 'both a template and a body',
    reason: 'invalid-field',
    spoil: ({ encode }) => ({
      value: encode({ template: { key: 'welcome', version: null, locale: null } }),
    }),
  },
  {
    what: 'a line break in the recipient',
    reason: 'invalid-field',
    spoil: ({ encode }) => ({ value: encode({ recipient: 'ada@example.com\r\nBcc: bob' }) }),
  },
];

/** A record of a fresh, good request with one thing spoiled. `over`: fields of the record that stay as given. */
export function badRecord(
  world: RealWorld,
  bad: BadRequest,
  hostileSchemaId: number,
  headers: OutgoingRecord['headers'] = {},
): OutgoingRecord {
  const request = freshRequest();
  const good = encodeRequest(world.topics, world.codec, request, null);
  const value = Buffer.from(good.value ?? []);
  const encode = (over: Partial<NotificationRequested>) =>
    world.codec.encode(world.topics.requested, { ...valueOfRequest(request), ...over });
  return {
    ...good,
    headers: { ...good.headers, ...headers },
    ...bad.spoil({ value, encode, hostileSchemaId }),
  };
}

/** Registers a schema that resolves to ours and whose first field is an array of nulls: items that need no bytes at all. */
export async function registerHostileSchema({ servers, topics }: RealWorld): Promise<number> {
  const ours = JSON.parse(readSchemaFamily('notification-requested').current) as { fields: object[] };
  const nulls = { name: 'nulls', type: { type: 'array', items: 'null' }, default: [] };
  const schema = JSON.stringify({ ...ours, fields: [nulls, ...ours.fields] });
  const subject = `${topics.prefix}.hostile-value`;
  const answer = await servers.registry.register(subject, schema, 'FULL_TRANSITIVE');
  invariant(answer.kind === 'registered', `the hostile schema was refused: ${JSON.stringify(answer)}`);
  return answer.id;
}

const NOBODYS_SCHEMA_ID = 2_000_000_000;
/** 17,179,869,183 as Avro writes a count. */
const HUGE_COUNT = Buffer.of(0xfe, 0xff, 0xff, 0xff, 0x7f);
/** One entry, `key`: `value`, end. */
const ONE_ENTRY = Buffer.from('\u0002\u0006key\u000avalue\u0000');

function withMapCount(value: Buffer, count: Buffer): Buffer {
  const at = value.indexOf(ONE_ENTRY);
  invariant(at > 0, 'the value holds the map');
  return Buffer.concat([value.subarray(0, at), count, value.subarray(at + 1)]);
}

function framed(schemaId: number, bytes: Buffer): Buffer {
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeInt32BE(schemaId, 1);
  return Buffer.concat([frame, bytes]);
}

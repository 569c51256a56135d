// The AsyncAPI 3 document of the topics, made from the registry of topics and the Avro schemas: what a producer or a reader has to know
// without reading our source. Seen from the service: it receives what others write, and sends what they read.
import { DLQ_REASONS } from './decode-answer.ts';
import { readSchemaFamily } from './schema-files.ts';
import type { TopicContract, TopicRole, Topics } from './topics.ts';

type Json = Readonly<Record<string, unknown>>;

const AVRO_FORMAT = 'application/vnd.apache.avro+json;version=1.9.0';
const KAFKA_BINDING = '0.5.0';
const DAY_MS = 86_400_000;

const ABOUT: Readonly<Record<TopicRole, { readonly action: 'send' | 'receive'; readonly words: string }>> = {
  requested: {
    action: 'receive',
    words: 'Requests of upstream services: one record asks for one notification.',
  },
  webhooks: { action: 'receive', words: 'Verified reports of providers.' },
  commands: {
    action: 'receive',
    words: 'What people and services order: cancel, mark-read, redrive, release, close.',
  },
  retry: { action: 'receive', words: 'Wake-ups of the service itself; nobody else writes or reads them.' },
  dispatched: {
    action: 'send',
    words:
      'Final outcomes. Of several records of one notification the highest outcomeSeq counts; repeats are byte-equal.',
  },
  dlq: { action: 'send', words: 'Requests that broke the contract: the original bytes, key and headers.' },
};

export function asyncApiDocument(topics: Topics, version: string): Json {
  const entries = topics.contracts.map((contract) => ({ contract, name: nameOf(contract) }));
  const messages = new Map(entries.map(({ contract }) => [messageName(contract), messageOf(contract)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'PIN notifications',
      version,
      description:
        'Every topic is keyed by the NotificationId. Values are Avro in Confluent framing, headers are CloudEvents in binary mode.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/vnd.apache.avro+json',
    channels: Object.fromEntries(entries.map(({ contract, name }) => [name, channelOf(contract)])) as Json,
    operations: Object.fromEntries(
      entries.map(({ contract, name }) => {
        const { action, words } = ABOUT[contract.role];
        const channel = { $ref: `#/channels/${name}` };
        return [`${action}-${name}`, { action, channel, summary: words }];
      }),
    ) as Json,
    components: { messages: Object.fromEntries(messages) as Json },
  };
}

/** Names of channels have no dots: `retry-30s`, `requested`. */
function nameOf({ role, topic }: TopicContract): string {
  return role === 'retry' ? `retry-${topic.split('.').at(-1) ?? ''}` : role;
}

function messageName({ schema }: TopicContract): string {
  return schema ?? 'dead-letter';
}

function channelOf(contract: TopicContract): Json {
  const { topic, role, retentionMs, isCopartitioned } = contract;
  const name = messageName(contract);
  return {
    address: topic,
    description: `${ABOUT[role].words}${isCopartitioned ? ' Has as many partitions as the other inputs.' : ''}`,
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    bindings: {
      kafka: {
        topic,
        topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': retentionMs },
        bindingVersion: KAFKA_BINDING,
      },
    },
    ...(role === 'retry' ? { tags: [{ name: 'internal' }] } : {}),
  };
}

function messageOf({ schema, retentionMs }: TopicContract): Json {
  const key = { type: 'string', format: 'uuid', description: 'The NotificationId.' };
  if (schema === null) {
    return {
      name: 'DeadLetter',
      summary: `A request that broke the contract, kept for ${retentionMs / DAY_MS} days.`,
      contentType: 'application/octet-stream',
      headers: deadLetterHeaders(),
      payload: { description: 'The original bytes, untouched.' },
    };
  }
  const avro = JSON.parse(readSchemaFamily(schema).current) as {
    readonly name: string;
    readonly doc: string;
  };
  return {
    name: avro.name,
    summary: avro.doc,
    contentType: 'application/vnd.apache.avro+json',
    headers: eventHeaders(avro.name),
    payload: { schemaFormat: AVRO_FORMAT, schema: avro },
    bindings: {
      kafka: {
        key,
        schemaIdLocation: 'payload',
        schemaIdPayloadEncoding: 'confluent',
        schemaLookupStrategy: 'TopicNameStrategy',
        bindingVersion: KAFKA_BINDING,
      },
    },
  };
}

const text = (description: string): Json => ({ type: 'string', description });

function eventHeaders(type: string): Json {
  return {
    type: 'object',
    required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source'],
    properties: {
      ce_specversion: { type: 'string', const: '1.0' },
      ce_id: text('Unique per fact, the same on a repeat.'),
      ce_type: { type: 'string', const: type },
      ce_source: text('/pin/notifications from us; a producer names itself.'),
      ce_time: { type: 'string', format: 'date-time' },
      ce_subject: text('The NotificationId.'),
      ce_tenantid: text('Absent: the platform itself.'),
      ce_correlationid: text('Of the whole chain of events.'),
      ce_causationid: text('What directly caused it.'),
      traceparent: text('W3C trace context.'),
    },
  };
}

function deadLetterHeaders(): Json {
  return {
    type: 'object',
    required: [
      'pin-dlq-reason',
      'pin-origin-topic',
      'pin-origin-partition',
      'pin-origin-offset',
      'pin-dlq-at',
    ],
    description: 'Besides those of the original record.',
    properties: {
      'pin-dlq-reason': { type: 'string', enum: DLQ_REASONS },
      'pin-dlq-detail': text('One sentence without any value of the record.'),
      'pin-origin-topic': text('Where it was read.'),
      'pin-origin-partition': text('Its partition.'),
      'pin-origin-offset': text('Its offset.'),
      'pin-dlq-at': text('When it was refused, ISO 8601.'),
    },
  };
}

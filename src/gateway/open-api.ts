// The OpenAPI document of the doors. The shape of a request comes from the schema that reads it, what its fields mean from the Avro schema
// of requested.v1, the limits from the contract: there is nothing to keep in step by hand.
import { z } from 'zod';
import { CHANNELS } from '../domain/channel.ts';
import { requestShape } from '../streams/request-input.ts';
import {
  ATTRIBUTE_LIMITS,
  DATA_LIMITS,
  MAX_BODY_CHARS,
  MAX_IN_APP_BODY_CHARS,
  MAX_RECIPIENT_CHARS,
  MAX_SUBJECT_CHARS,
  MAX_TITLE_CHARS,
} from '../streams/requested-contract.ts';
import { readSchemaFamily } from '../streams/schema-files.ts';
import { MAX_BATCH_NOTIFICATIONS } from './request-batch.ts';

type Json = Readonly<Record<string, unknown>>;

const TIME_WORDS = 'ISO 8601, epoch milliseconds, or a wait from now such as 15m.';
/** What Avro says nothing of, and limits by dotted path. */
const MORE: Readonly<Record<string, Json>> = {
  to: { description: 'Instead of recipient: one, or many; of many, each becomes a notification of its own.' },
  notificationId: { format: 'uuid' },
  channel: { enum: CHANNELS },
  recipient: { maxLength: MAX_RECIPIENT_CHARS },
  'body.subject': { maxLength: MAX_SUBJECT_CHARS },
  'body.text': { maxLength: MAX_BODY_CHARS },
  'body.html': { maxLength: MAX_BODY_CHARS },
  'inApp.title': { maxLength: MAX_TITLE_CHARS },
  'inApp.body': { maxLength: MAX_IN_APP_BODY_CHARS },
  data: { maxProperties: DATA_LIMITS.maxEntries },
  attributes: { maxProperties: ATTRIBUTE_LIMITS.maxEntries },
};
const TIMES = ['notBefore', 'notAfter', 'requestedAt'];

export function openApiDocument(version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'PIN notifications',
      version,
      description:
        'Ask for notifications over HTTP. 202 means that the log has the request; outcomes are on the dispatched topic.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths: {
      '/v1/notifications': { post: postOperation() },
      '/v1/notifications/{id}': { get: readOperation('readNotification', 'What is known of a notification') },
      '/v1/notifications/{id}/timeline': {
        get: readOperation('readTimeline', 'Every decision about a notification, and what comes next'),
      },
    },
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A producer token; bound to one tenant.' },
      },
      schemas: {
        NotificationRequest: requestSchema(),
        Accepted: acceptedSchema(),
        Problem: problemSchema(),
      },
    },
  };
}

function requestSchema(): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(requestShape, { io: 'input' }) as Json;
  return withWords(
    schema,
    docsOf(JSON.parse(readSchemaFamily('notification-requested').current) as AvroNode),
    '',
  );
}

/** Adds a description and limits to every property, whatever optional wrapping it stands in. */
function withWords(schema: Json, docs: ReadonlyMap<string, string>, path: string): Json {
  const { properties, anyOf } = schema;
  const inner = (
    Array.isArray(anyOf) ? { anyOf: (anyOf as Json[]).map((one) => withWords(one, docs, path)) } : {}
  ) as Json;
  if (typeof properties !== 'object' || properties === null) return { ...schema, ...inner };
  const described = Object.entries(properties as Readonly<Record<string, Json>>).map(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const doc = TIMES.includes(at) ? `${docs.get(at) ?? ''} ${TIME_WORDS}`.trim() : docs.get(at);
    const words = doc === undefined ? {} : { description: doc };
    return [name, { ...withWords(property, docs, at), ...words, ...limited(MORE[at], property) }];
  });
  return { ...schema, ...inner, properties: Object.fromEntries(described) as Json };
}

/** A property that may be null is `anyOf`: an enum beside it would forbid the null. */
function limited(more: Json | undefined, property: Json): Json {
  if (more === undefined) return {};
  const { enum: names, ...others } = more;
  return names === undefined || 'anyOf' in property ? others : more;
}

interface AvroNode {
  readonly type?: unknown;
  readonly fields?: readonly (AvroNode & { readonly name: string; readonly doc: string })[];
}

function docsOf(record: AvroNode, path = ''): ReadonlyMap<string, string> {
  const docs = new Map<string, string>();
  for (const field of record.fields ?? []) {
    const at = path === '' ? field.name : `${path}.${field.name}`;
    docs.set(at, field.doc);
    const nested = [field.type]
      .flat()
      .find((type) => typeof type === 'object' && type !== null && 'fields' in type);
    if (nested !== undefined) for (const [name, doc] of docsOf(nested as AvroNode, at)) docs.set(name, doc);
  }
  return docs;
}

function postOperation(): Json {
  const request = { $ref: '#/components/schemas/NotificationRequest' };
  const batch = {
    type: 'object',
    required: ['notifications'],
    additionalProperties: false,
    properties: {
      notifications: { type: 'array', minItems: 1, maxItems: MAX_BATCH_NOTIFICATIONS, items: request },
    },
  };
  return {
    operationId: 'requestNotifications',
    summary: 'Ask for a notification, or for a batch of them, all or nothing',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        schema: { type: 'string', format: 'uuid' },
        description: 'The NotificationId. Of a batch: what the ids of items without one are made from.',
      },
      { name: 'traceparent', in: 'header', schema: { type: 'string' }, description: 'W3C trace context.' },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: { anyOf: [request, batch] } } } },
    responses: {
      202: {
        description: 'The log has all of them.',
        headers: { Location: { schema: { type: 'string' }, description: 'Of a single notification.' } },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Accepted' } } },
      },
      ...problems({
        400: 'The body is not JSON.',
        401: 'No known token.',
        403: 'The token is not a producer’s, or the request names another tenant.',
        413: 'The body is too large.',
        415: 'The body is not application/json.',
        422: 'The contract is broken; `errors` names each field. Nothing was taken.',
      }),
      503: {
        ...problemResponse('Too much waits for the log, or it does not answer: ask again with the same ids.'),
        headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } },
      },
    },
  };
}

function readOperation(operationId: string, summary: string): Json {
  return {
    operationId,
    summary,
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
    responses: {
      200: {
        description: 'It is known.',
        content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
      },
      ...problems({
        401: 'No known token.',
        403: 'The token is not a reader’s.',
        404: 'No such notification of this tenant.',
        503: 'The table does not answer.',
      }),
    },
  };
}

function problems(words: Readonly<Record<number, string>>): Json {
  return Object.fromEntries(Object.entries(words).map(([status, text]) => [status, problemResponse(text)]));
}

function problemResponse(description: string): Json {
  return {
    description,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

const ID: Json = { type: 'string', format: 'uuid' };

function acceptedSchema(): Json {
  const taken = {
    type: 'object',
    required: ['notificationId', 'parentId', 'item'],
    properties: {
      notificationId: ID,
      parentId: {
        ...ID,
        type: ['string', 'null'],
        description: 'What a list of recipients was asked under.',
      },
      item: { type: 'integer', description: 'Position in the batch; 0 for a single request.' },
    },
  };
  return {
    type: 'object',
    required: ['notifications'],
    properties: { notifications: { type: 'array', items: taken } },
  };
}

function problemSchema(): Json {
  const error = {
    type: 'object',
    required: ['pointer', 'field', 'detail'],
    properties: {
      pointer: { type: 'string', description: 'RFC 6901, into the body.' },
      field: { type: ['string', 'null'], description: 'Dotted path inside the request.' },
      detail: { type: 'string' },
    },
  };
  return {
    type: 'object',
    description: 'RFC 9457.',
    required: ['type', 'title', 'status', 'code'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      code: { type: 'string', description: 'Starts with PIN_ or NTF_.' },
      detail: { type: 'string' },
      errors: { type: 'array', items: error },
      errorCount: { type: 'integer', description: 'Also those that `errors` has no room for.' },
      notifications: {
        type: 'array',
        items: { type: 'object' },
        description: 'Ids whose fate is not known yet.',
      },
    },
  };
}

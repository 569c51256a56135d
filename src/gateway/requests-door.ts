// POST /v1/notifications: how services without a Kafka client ask. 202 means that the log has every one of them; anything else means that
// the caller may ask again with the same Idempotency-Key and nothing will be sent twice. It stores nothing and sends nothing itself.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingRecord } from '../broker/log.ts';
import type { Clock } from '../runtime/clock.ts';
import { isFault } from '../runtime/fault.ts';
import type { Ids } from '../runtime/ids.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { traceparentOfText } from '../streams/cloud-event.ts';
import type { Codec } from '../streams/codec.ts';
import { encodeRequest } from '../streams/requested.ts';
import type { Topics } from '../streams/topics.ts';
import { problem, sendProblem } from './problem.ts';
import type { Authenticate, Caller } from './producer-tokens.ts';
import { type AskedItem, type PointedProblem, requestBatch } from './request-batch.ts';
import type { RequestSender } from './request-sender.ts';

export const REQUESTS_PATH = '/v1/notifications';
/** A batch of 1,000 plain requests is a tenth of it. */
export const MAX_REQUEST_BODY_BYTES = 8 * 1_048_576;
const MAX_PROBLEMS_SHOWN = 100;
const FULL_RETRY_AFTER_SECONDS = 1;
const UNANSWERED_RETRY_AFTER_SECONDS = 5;

export interface RequestsDoorDeps {
  readonly authenticate: Authenticate;
  readonly sender: RequestSender;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly codec: Codec;
  readonly topics: Topics;
  readonly metrics: Metrics;
}

/** Adds the route. */
export function requestsDoor(deps: RequestsDoorDeps): (app: FastifyInstance) => void {
  const counted = (_: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const status = String(reply.statusCode);
    deps.metrics.increment('pin_http_requests_total', { route: REQUESTS_PATH, status });
    done();
  };
  return (app) => {
    const options = { bodyLimit: MAX_REQUEST_BODY_BYTES, onResponse: counted };
    app.post(REQUESTS_PATH, options, async (request, reply) => {
      const caller = deps.authenticate(request.headers.authorization);
      if (caller === null) return sendUnauthorized(reply);
      if (!caller.roles.includes('producer')) return sendNotAllowed(reply, []);
      return takeRequests(deps, caller, request, reply);
    });
  };
}

async function takeRequests(
  deps: RequestsDoorDeps,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const idempotencyKey = headerText(request, 'idempotency-key');
  const batch = requestBatch(deps, request.body, { tenantId: caller.tenantId, idempotencyKey });
  if (batch.kind === 'forbidden') return sendNotAllowed(reply, batch.problems);
  if (batch.kind === 'invalid') return sendInvalid(reply, batch.problems);
  const encoded = recordsOf(deps, batch.items, traceparentOfText(headerText(request, 'traceparent') ?? ''));
  if (encoded.kind === 'invalid') return sendInvalid(reply, encoded.problems);
  const answer = await deps.sender.send(encoded.records);
  const notifications = idsOf(batch.items);
  if (answer.kind === 'acknowledged') return sendAccepted(reply, notifications);
  return answer.kind === 'full' ? sendFull(reply) : sendUnanswered(reply, notifications);
}

type Encoded =
  | { readonly kind: 'records'; readonly records: readonly OutgoingRecord[] }
  | { readonly kind: 'invalid'; readonly problems: readonly PointedProblem[] };

function recordsOf(
  { topics, codec }: RequestsDoorDeps,
  items: readonly AskedItem[],
  traceparent: string | null,
): Encoded {
  const records: OutgoingRecord[] = [];
  const problems: PointedProblem[] = [];
  for (const { pointer, requests } of items) {
    try {
      for (const request of requests) records.push(encodeRequest(topics, codec, request, traceparent));
    } catch (error) {
      if (!isFault(error) || error.code !== 'VALUE_TOO_LARGE') throw error;
      problems.push({ pointer, field: null, detail: error.message });
    }
  }
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'records', records };
}

interface TakenNotification {
  readonly notificationId: string;
  /** What a list of recipients was asked under; null for one recipient. */
  readonly parentId: string | null;
  /** Position in the batch. */
  readonly item: number;
}

function idsOf(items: readonly AskedItem[]): readonly TakenNotification[] {
  return items.flatMap(({ requests }, item) =>
    requests.map(({ notificationId, parentId }) => ({ notificationId, parentId, item })),
  );
}

function sendAccepted(reply: FastifyReply, notifications: readonly TakenNotification[]): FastifyReply {
  const [only] = notifications;
  if (notifications.length === 1 && only !== undefined) {
    reply.header('location', `${REQUESTS_PATH}/${only.notificationId}`);
  }
  return reply.status(202).send({ notifications });
}

function sendUnauthorized(reply: FastifyReply): FastifyReply {
  reply.header('www-authenticate', 'Bearer');
  return sendProblem(reply, problem(401, 'PIN_UNAUTHORIZED', 'A producer token is needed'));
}

function sendNotAllowed(reply: FastifyReply, errors: readonly PointedProblem[]): FastifyReply {
  const answer = problem(403, 'PIN_FORBIDDEN', 'This token may not do that');
  return sendProblem(reply, answer, shown(errors));
}

function sendInvalid(reply: FastifyReply, errors: readonly PointedProblem[]): FastifyReply {
  const detail = `nothing was taken: ${errors[0]?.detail ?? ''}`;
  return sendProblem(reply, problem(422, 'PIN_INVALID_REQUEST', 'The request breaks the contract', detail), {
    ...shown(errors),
    errorCount: errors.length,
  });
}

function shown(errors: readonly PointedProblem[]): { readonly errors?: readonly PointedProblem[] } {
  return errors.length === 0 ? {} : { errors: errors.slice(0, MAX_PROBLEMS_SHOWN) };
}

function sendFull(reply: FastifyReply): FastifyReply {
  reply.header('retry-after', FULL_RETRY_AFTER_SECONDS);
  const detail = 'nothing was taken: too many requests wait for the log';
  return sendProblem(reply, problem(503, 'PIN_BACKLOG_FULL', 'Try again later', detail));
}

/** With the ids, so that whoever gave none can ask again under the same. */
function sendUnanswered(reply: FastifyReply, notifications: readonly TakenNotification[]): FastifyReply {
  reply.header('retry-after', UNANSWERED_RETRY_AFTER_SECONDS);
  const detail =
    'the log has not acknowledged it in time: ask again with the same ids, nothing is sent twice';
  return sendProblem(reply, problem(503, 'PIN_LOG_UNAVAILABLE', 'Try again later', detail), {
    notifications,
  });
}

function headerText(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

// GET /v1/notifications/{id} and its timeline, for services that asked for one. A reader sees its own tenant's notifications and no
// others: for them it is as if the others did not exist. No recipient, no body, no data.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type NotificationId, parseNotificationId } from '../domain/notification-id.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { problem, sendProblem } from './problem.ts';
import type { Authenticate } from './producer-tokens.ts';
import { REQUESTS_PATH } from './requests-door.ts';

export interface SeenNotification {
  readonly tenantId: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly timeline: Readonly<Record<string, unknown>>;
}

export interface ReadingDoorDeps {
  readonly authenticate: Authenticate;
  readonly metrics: Metrics;
  /** @throws Fault STATE_UNAVAILABLE (retriable) */
  readonly find: (id: NotificationId) => Promise<SeenNotification | null>;
}

/** Adds both routes. */
export function readingDoor(deps: ReadingDoorDeps): (app: FastifyInstance) => void {
  return (app) => {
    addRoute(deps, app, `${REQUESTS_PATH}/:id`, ({ facts }) => facts);
    addRoute(deps, app, `${REQUESTS_PATH}/:id/timeline`, ({ timeline }) => timeline);
  };
}

function addRoute(
  deps: ReadingDoorDeps,
  app: FastifyInstance,
  route: string,
  view: (seen: SeenNotification) => Readonly<Record<string, unknown>>,
): void {
  const onResponse = (_: FastifyRequest, reply: FastifyReply, done: () => void) => {
    deps.metrics.increment('pin_http_requests_total', { route, status: String(reply.statusCode) });
    done();
  };
  app.get<{ Params: { id: string } }>(route, { onResponse }, async (request, reply) => {
    const caller = deps.authenticate(request.headers.authorization);
    if (caller === null) {
      reply.header('www-authenticate', 'Bearer');
      return sendProblem(reply, problem(401, 'PIN_UNAUTHORIZED', 'A token is needed'));
    }
    if (!caller.roles.includes('reader')) {
      return sendProblem(reply, problem(403, 'PIN_FORBIDDEN', 'This token may not read'));
    }
    const id = parseNotificationId(request.params.id);
    const seen = id === null ? null : await deps.find(id);
    if (seen === null || seen.tenantId !== caller.tenantId) {
      return sendProblem(reply, problem(404, 'PIN_NOT_FOUND', 'No such notification is known'));
    }
    return reply.send(view(seen));
  });
}

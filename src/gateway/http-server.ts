// The one HTTP server of the process. It promises: limits on every request, errors as problem details, a log line for each error of
// ours, and a close that ends idle connections at once.
import { type FastifyInstance, fastify } from 'fastify';
import { Fault, messageOf } from '../runtime/fault.ts';
import type { Logger } from '../runtime/logger.ts';
import { problem, problemOf, sendProblem } from './problem.ts';

const MAX_BODY_BYTES = 1_048_576;
const REQUEST_LIMIT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;

export interface HttpServer {
  /** `http://host:port` as bound. */
  readonly url: string;
  close(): Promise<void>;
}

export type Routes = (app: FastifyInstance) => void;

/** Listens once every route is there. @throws Fault HTTP_ADDRESS_TAKEN (not retriable) when the address is taken. */
export async function startHttpServer(
  deps: { logger: Logger },
  address: { host: string; port: number },
  routes: readonly Routes[],
): Promise<HttpServer> {
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_LIMIT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 128 },
  });
  answerWithProblems(deps, app);
  for (const add of routes) add(app);
  try {
    const url = await app.listen({ host: address.host, port: address.port });
    return { url, close: () => app.close() };
  } catch (error) {
    await app.close();
    const where = `${address.host}:${address.port}`;
    throw new Fault('HTTP_ADDRESS_TAKEN', `cannot listen on ${where}: ${messageOf(error)}`, {
      retriable: false,
      cause: error,
    });
  }
}

function answerWithProblems(deps: { logger: Logger }, app: FastifyInstance): void {
  app.setErrorHandler(async (error, request, reply) => {
    const answer = problemOf(error);
    if (answer.status >= 500) {
      deps.logger.error('http.failed', { route: request.routeOptions.url, error: messageOf(error) });
    }
    return sendProblem(reply, answer);
  });
  app.setNotFoundHandler(async (_, reply) => {
    return sendProblem(reply, problem(404, 'PIN_NOT_FOUND', 'There is nothing here'));
  });
}

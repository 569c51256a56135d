// What probes and scrapers ask. Live means "the process makes progress, do not restart it"; ready means "it does its work now".
// An outage of a server makes a process unready, never dead: a restart would not bring the server back.
import type { FastifyInstance } from 'fastify';
import { problem, sendProblem } from './problem.ts';

export interface HealthSource {
  /** False when the process is stuck and a restart is the cure. */
  live(): { readonly ok: boolean; readonly reason: string | null };
  ready(): {
    readonly ok: boolean;
    /** Why not, in words: each named outage. */
    readonly reasons: readonly string[];
    /** State, tasks and what else helps an operator; JSON. */
    readonly detail: Readonly<Record<string, unknown>>;
  };
}

export interface MetricsSource {
  readonly contentType: string;
  render(): Promise<string>;
}

/** Adds /livez, /readyz and /metrics. */
export function healthRoutes(deps: {
  health: HealthSource;
  metrics: MetricsSource;
}): (app: FastifyInstance) => void {
  return (app) => {
    app.get('/livez', async (_, reply) => {
      const { ok, reason } = deps.health.live();
      if (ok) return reply.send({ status: 'live' });
      return sendProblem(reply, problem(503, 'PIN_NOT_LIVE', 'No progress', reason ?? undefined));
    });
    app.get('/readyz', async (_, reply) => {
      const { ok, reasons, detail } = deps.health.ready();
      if (ok) return reply.send({ status: 'ready', ...detail });
      const answer = problem(503, 'PIN_NOT_READY', 'Not ready', reasons.join('; '));
      return sendProblem(reply, answer, { reasons, ...detail });
    });
    app.get('/metrics', async (_, reply) =>
      reply.type(deps.metrics.contentType).send(await deps.metrics.render()),
    );
  };
}

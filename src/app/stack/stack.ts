// The servers that the demo, the tests and the benchmarks run against: Kafka, a schema registry, Postgres and, on
// request, Redis. Promises: the first line said tells which way was taken and why; every server answers when
// `startStack` returns; none outlives this process, and what a killed process left behind is ended by the next start.
// Never touches servers it did not start, and never runs anything in production.
import { messageOf } from '../../runtime/fault.ts';
import { startDockerStack } from './docker-stack.ts';
import { givenStack } from './given-stack.ts';
import { endLeftovers } from './leftovers.ts';
import { startNativePostgres } from './native-postgres.ts';
import { startNativeStack } from './native-stack.ts';
import { findPostgres } from './postgres-binaries.ts';
import type { ServerHandle, Stack, StackOptions } from './running-stack.ts';
import { planStack, type StackPlan } from './stack-plan.ts';
import { openRun } from './stack-run.ts';
import { StackUnavailable } from './stack-unavailable.ts';

export interface PostgresOnly {
  readonly why: string;
  readonly databaseUrl: string;
  readonly server: ServerHandle;
  stop(): Promise<void>;
}

/**
 * Starts the whole set, or takes the one that is already running.
 * @throws StackUnavailable when this machine has no way to run it, with what is missing and how to get it.
 * @throws Fault PIN_STACK_SERVER_FAILED when a server that should run does not answer, PIN_STACK_COMMAND_FAILED when
 * its preparation fails.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const ended = endLeftovers(options.cacheFolder);
  const plan = await planStack(options);
  if (plan.kind !== 'none') options.say(`servers: ${plan.kind}: ${plan.why}`);
  if (ended > 0) options.say(`ended ${ended} processes that an earlier run had left behind`);
  if (plan.kind !== 'docker') return startAsPlanned(options, plan);
  try {
    return await startDockerStack(options, plan);
  } catch (error) {
    options.say(`a Docker daemon answers, but the servers do not start there: ${messageOf(error)}`);
    return startStack({ ...options, allowDocker: false });
  }
}

async function startAsPlanned(
  options: StackOptions,
  plan: Exclude<StackPlan, { kind: 'docker' }>,
): Promise<Stack> {
  switch (plan.kind) {
    case 'given':
      return givenStack(plan);
    case 'native':
      return startNativeStack(options, plan);
    case 'none':
      throw new StackUnavailable(plan.missing, plan.howToGet);
  }
}

/**
 * Postgres alone, for the demo on a machine with nothing but Node.
 * @throws StackUnavailable when there are no Postgres binaries; Fault as `startStack`.
 */
export async function startPostgresOnly(options: StackOptions): Promise<PostgresOnly> {
  endLeftovers(options.cacheFolder);
  const binaries = findPostgres(options);
  if (binaries === null) throw new StackUnavailable(['Postgres'], ['`npm ci` without --omit=optional']);
  const why = `Postgres ${binaries.origin}`;
  options.say(`servers: embedded: ${why}`);
  const run = openRun(options.cacheFolder);
  try {
    const { server, databaseUrl } = await startNativePostgres(
      { run, environment: options.environment },
      binaries,
    );
    return { why, databaseUrl, server, stop: () => Promise.resolve(run.close()) };
  } catch (error) {
    run.close();
    throw error;
  }
}

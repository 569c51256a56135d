// The servers as child processes of this one: Kafka, the registry and Redis from the archives, Postgres from npm or
// the system. All start at the same time; the slowest decides.
import { freePorts } from './free-ports.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { JvmDeps } from './jvm-server.ts';
import { nativeKafka } from './native-kafka.ts';
import { startNativePostgres } from './native-postgres.ts';
import { findRedis, nativeRedis } from './native-redis.ts';
import { nativeRegistry, REGISTRY_PATH } from './native-registry.ts';
import { fetchServers, jvmDepsOf } from './prepare-servers.ts';
import type { Stack, StackOptions } from './running-stack.ts';
import type { NativePlan } from './stack-plan.ts';
import { openRun } from './stack-run.ts';
import { StackUnavailable } from './stack-unavailable.ts';

/** @throws StackUnavailable, Fault; what had started by then is ended. */
export async function startNativeStack(options: StackOptions, plan: NativePlan): Promise<Stack> {
  const run = openRun(options.cacheFolder);
  try {
    await fetchServers({ run, options, plan });
    return await startAll(jvmDepsOf({ run, options, plan }), options, plan);
  } catch (error) {
    run.close();
    throw error;
  }
}

async function startAll(jvm: JvmDeps, options: StackOptions, plan: NativePlan): Promise<Stack> {
  const { run, environment } = jvm;
  const [broker = 0, controller = 0, registryPort = 0, redisPort = 0] = await freePorts(4);
  const kafka = nativeKafka(jvm, { broker, controller });
  const registry = nativeRegistry(jvm, registryPort);
  const redis =
    options.redis === true ? nativeRedis({ run, environment }, redisProgram(options, plan), redisPort) : null;
  const progress = startProgress();
  const starting = () =>
    Promise.all([
      progress.of('postgres', startNativePostgres({ run, environment }, plan.postgres)),
      progress.of('kafka', kafka.start()),
      progress.of('registry', registry.start()),
      ...(redis === null ? [] : [progress.of('redis', redis.start())]),
    ]);
  const [postgres] = await withHeartbeat(options.say, progress.waiting, starting);
  options.say(progress.ready());
  return {
    how: 'native',
    why: plan.why,
    kafkaBrokers: [`127.0.0.1:${broker}`],
    registryUrl: `http://127.0.0.1:${registryPort}${REGISTRY_PATH}`,
    databaseUrl: postgres.databaseUrl,
    redisUrl: redis === null ? null : `redis://127.0.0.1:${redisPort}`,
    servers: { kafka, registry, postgres: postgres.server, redis },
    // At once: their data goes with them.
    stop: () => Promise.resolve(run.close()),
  };
}

function redisProgram(options: StackOptions, plan: NativePlan): string {
  const program = findRedis(options.environment, plan.archives);
  if (program === null)
    throw new StackUnavailable(['redis-server'], ['apt-get install redis-server', 'start Docker']);
  return program;
}

interface Progress {
  of<T>(name: string, started: Promise<T>): Promise<T>;
  waiting(seconds: number): string;
  ready(): string;
}

function startProgress(): Progress {
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1);
  const waiting = new Set<string>();
  const ready: string[] = [];
  return {
    async of(name, started) {
      waiting.add(name);
      const answer = await started;
      waiting.delete(name);
      ready.push(`${name} ${seconds()}`);
      return answer;
    },
    waiting: (soFar) => `waiting for ${[...waiting].join(', ')} (${soFar} s)`,
    ready: () => `servers answer after ${seconds()} s (${ready.join(', ')})`,
  };
}
